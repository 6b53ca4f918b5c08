package io.github.comch4j.containers;

import io.github.comch4j.interop.Sdk;
import java.nio.file.Path;

/** The C twin of the echo programs, and the emulated BlueField that it is built against. */
record Interop(Path sdk, Path echo) {
    private static Interop built;

    static synchronized Interop build() {
        if (built == null) {
            Sdk sdk = Sdk.install();
            built = new Interop(sdk.folder(), sdk.compile("echo"));
        }
        return built;
    }
}
