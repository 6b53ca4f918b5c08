package io.github.comch4j.cli;

import picocli.CommandLine.IVersionProvider;

/** {@code comch --version}. */
final class ToolVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Comch.class.getPackage().getImplementationVersion();
        return new String[] {"comch " + (version == null ? "of unpacked classes" : version)};
    }
}
