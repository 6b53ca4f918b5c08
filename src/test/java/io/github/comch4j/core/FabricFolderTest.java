package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The folder of the emulated machine cannot be used: the exception says what it is like and what it needs, on both
 * sides.
 */
@Timeout(60)
class FabricFolderTest {
    @TempDir
    private Path parent;

    @Test
    void aFolderThatIsNotTheGroups() throws Exception {
        Path folder = Files.createDirectory(
                parent.resolve("fabric"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path topology = Files.writeString(parent.resolve("topology"), "dpu 0000:03:00.0\nhost 0000:b1:00.0 pf\n");
        for (String side : List.of("host", "dpu")) {
            for (String description : List.of("", topology.toString())) {
                Map<String, String> environment = Map.of(
                        "DOCA_EMU_DIR",
                        folder.toString(),
                        "DOCA_EMU_SHARE",
                        "group",
                        "DOCA_EMU_SIDE",
                        side,
                        "DOCA_EMU_TOPOLOGY",
                        description);
                try (Child child =
                        Child.start(DeviceProgram.class, List.of("-Dcomch4j.library=emulated"), environment)) {
                    assertThat(child.rest())
                            .as("%s, topology \"%s\"", side, description)
                            .contains("the fabric folder " + folder)
                            .contains("group " + Files.getAttribute(folder, "unix:gid") + " and has mode 0700")
                            .contains("must be in its group (it is)")
                            .contains("as with mode 2770 (it cannot)");
                }
            }
        }
    }

    /** Looks for the devices of this side. */
    public static final class DeviceProgram {
        private DeviceProgram() {}

        public static void main(String[] arguments) {
            try {
                System.out.println(Device.list());
            } catch (DocaException e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
