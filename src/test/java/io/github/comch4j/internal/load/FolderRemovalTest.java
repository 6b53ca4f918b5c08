package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.emulator.EmulatedMachine;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link FolderRemoval}, and who uses it, while others write. */
class FolderRemovalTest {
    @TempDir
    private Path folder;

    private static void fill(Path folder) throws IOException {
        Path below = Files.createDirectories(folder.resolve("a/b"));
        Files.writeString(below.resolve("file"), "content");
        Files.createSymbolicLink(below.resolve("link"), Path.of("/"));
    }

    @Test
    void aFolderWithAllInIt() throws IOException {
        Path removed = folder.resolve("removed");
        fill(removed);
        assertThat(FolderRemoval.of(removed)).isNull();
        assertThat(removed).doesNotExist();
        assertThat(FolderRemoval.of(removed)).isNull();
    }

    @Test
    void whatIsAlwaysThereAgainIsTold() throws Exception {
        Path again = folder.resolve("again");
        fill(again);
        IOException told;
        try (Writer writer = new Writer(again.resolve("c"))) {
            writer.hasBegun();
            told = FolderRemoval.of(again);
        }
        if (told != null) {
            assertThat(told).isInstanceOf(DirectoryNotEmptyException.class);
        }
        assertThat(FolderRemoval.of(again)).isNull();
        assertThat(again).doesNotExist();
    }

    @Test
    void aMachineIsClosedWhoeverWrites() throws Exception {
        for (int i = 0; i < 20; i++) {
            EmulatedMachine machine = EmulatedMachine.create();
            fill(machine.folder());
            try (Writer writer = new Writer(machine.folder().resolve("c"))) {
                writer.hasBegun();
                machine.close();
            }
            assertThat(FolderRemoval.of(machine.folder())).isNull();
        }
    }

    /** Makes a folder with files, and removes them, again and again. */
    private static final class Writer implements AutoCloseable {
        private final Thread thread;
        private volatile boolean begun;
        private volatile boolean ended;

        Writer(Path folder) {
            thread = Thread.ofPlatform().start(() -> {
                while (!ended) {
                    try {
                        Files.createDirectories(folder.resolve("d"));
                        for (int i = 0; i < 100; i++) {
                            Files.createFile(folder.resolve("d/" + i));
                        }
                        begun = true;
                        for (int i = 0; i < 100; i++) {
                            Files.deleteIfExists(folder.resolve("d/" + i));
                        }
                    } catch (IOException e) {
                        begun = true; // it was removed
                    }
                }
            });
        }

        void hasBegun() {
            while (!begun) {
                Thread.onSpinWait();
            }
        }

        @Override
        public void close() {
            ended = true;
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e); // nobody interrupts a test
            }
        }
    }
}
