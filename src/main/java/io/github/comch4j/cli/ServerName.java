package io.github.comch4j.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option {@code --name} of commands whose two ends meet at a server. */
final class ServerName {
    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "the server's name, the same on both sides (${DEFAULT-VALUE})")
    private String name;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    ServerName(String usual) {
        name = usual;
    }

    /** That was given, which is not empty; how long it may be, the device says. */
    String get() {
        if (name.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--name: must not be empty");
        }
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
