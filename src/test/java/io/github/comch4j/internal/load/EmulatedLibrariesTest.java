package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code NativeLoadingIT} has the rest: where they are unpacked, and that nothing is left behind. */
class EmulatedLibrariesTest {
    /** Else somebody could put another library into it before it is loaded. */
    @Test
    void theFolderAndWhatIsUnpackedInItAreItsUsersAlone(@TempDir Path parent) throws IOException {
        Path folder = EmulatedLibraries.privateFolder(parent);
        assertThat(Files.getPosixFilePermissions(folder)).isEqualTo(PosixFilePermissions.fromString("rwx------"));
        Path library = Files.write(parent.resolve("library"), new byte[1]);
        Path unpacked = EmulatedLibraries.unpack(library.toUri().toURL(), folder.resolve("library"));
        assertThat(Files.getPosixFilePermissions(unpacked)).isEqualTo(PosixFilePermissions.fromString("r-x------"));
    }
}
