package io.github.comch4j.cli;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.core.Doca;
import io.github.comch4j.internal.load.NativeLibrary;
import picocli.CommandLine.Command;

/** {@code comch info}. */
@Command(
        name = "info",
        description = "Show the libraries in use, their version, and why they were chosen.",
        footer = "  comch info --library system     fails unless DOCA is installed")
final class InfoCommand extends ToolCommand implements Runnable, UsesDevice {
    @Override
    public void run() {
        LibraryInfo library = Doca.library();
        System.out.println("libraries: " + library.kind() + ", " + library.location());
        System.out.println("Comch:     " + NativeLibrary.generation());
        System.out.println("chosen:    " + library.reason());
        System.out.println("DOCA:      " + library.version());
        System.out.println("Java:      " + Runtime.version() + ", " + System.getProperty("java.vendor"));
        System.out.println("machine:   " + System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch"));
        System.out.println("user:      " + System.getProperty("user.name"));
    }
}
