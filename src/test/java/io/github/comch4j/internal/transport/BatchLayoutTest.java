package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.BatchSources;
import io.github.comch4j.Child;
import io.github.comch4j.LibraryChoice;
import io.github.comch4j.internal.load.EmulatedLibraries;
import io.github.comch4j.internal.load.Platform;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Java and the batch library agree on the layout of what they share, and a library with another layout is refused. */
class BatchLayoutTest {
    @TempDir
    Path folder;

    @SuppressWarnings("restricted")
    private static long layoutOf(SymbolLookup library) throws Throwable {
        return (long) Linker.nativeLinker()
                .downcallHandle(
                        library.find("comch4j_batch_layout").orElseThrow(),
                        FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                .invokeExact();
    }

    @SuppressWarnings("restricted")
    private static long layoutOf(Path library) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            return layoutOf(SymbolLookup.libraryLookup(library, arena));
        }
    }

    @Test
    void theLibraryInTheJarHasTheLayoutOfTheBindings() throws Throwable {
        SymbolLookup library = EmulatedLibraries.loadLibrary(Platform.current(), Batch.FILE);
        assertThat(layoutOf(library)).isEqualTo(BatchLayout.checksum());
    }

    @Test
    void aCopyOfTheSourcesHasIt() throws Throwable {
        Path library = BatchSources.copyTo(folder.resolve("batch")).compile(folder.resolve(Batch.FILE));
        assertThat(layoutOf(library)).isEqualTo(BatchLayout.checksum());
    }

    /** Most of them are of the same type, so that no size and no other field's offset changes. */
    @ParameterizedTest
    @CsvSource({
        "batch.h, uint32_t queue_head;, uint32_t queue_tail;",
        "batch.h, uint32_t changes;, uint32_t consumer;",
        "batch.h, uint64_t origin;, uint64_t what;",
        "batch.h, uint8_t *imm;, uint32_t imm_len;",
        "batch.h, (*submit_ex), (*flush_tasks)",
        "messages.h, *server;, *client;",
        "messages.h, (*submit), (*free_task)"
    })
    void twoFieldsThatAreSwappedMakeAnotherLayout(String file, String first, String second) throws Throwable {
        BatchSources sources = BatchSources.copyTo(folder.resolve("batch")).swap(file, first, second);
        // not the whole library: its code does not compile where the types differ
        assertThat(layoutOf(sources.compileLayout(folder.resolve(Batch.FILE)))).isNotEqualTo(BatchLayout.checksum());
    }

    @Test
    void aConstantWithAnotherValueMakesAnotherLayout() throws Throwable {
        BatchSources sources =
                BatchSources.copyTo(folder.resolve("batch")).replace("batch.h", "BATCH_QUEUED 64", "BATCH_QUEUED 32");
        assertThat(layoutOf(sources.compile(folder.resolve(Batch.FILE)))).isNotEqualTo(BatchLayout.checksum());
    }

    /** In a JVM that finds the library of these sources before that of the jar. */
    private String outcome(BatchSources sources) throws IOException {
        Path classes = folder.resolve("classes");
        sources.compile(
                classes.resolve("native").resolve(Platform.current().folder()).resolve(Batch.FILE));
        List<String> errorsToo = List.of("sh", "-c", "exec \"$@\" 2>&1", "sh");
        List<String> options =
                List.of("-Dcomch4j.library=emulated", "-cp", classes + ":" + Child.classPath(LibraryChoice.class));
        try (Child child = Child.startThrough(errorsToo, LibraryChoice.class, options, Map.of(), "engine")) {
            String output = child.rest();
            assertThat(child.exitCode()).as(output).isZero();
            return output;
        }
    }

    @Test
    void aLibraryWithAnotherLayoutIsRefusedAndTheProgramRunsOn() throws IOException {
        BatchSources sources = BatchSources.copyTo(folder.resolve("batch"))
                .swap("batch.h", "uint32_t queue_head;", "uint32_t queue_tail;");
        assertThat(outcome(sources))
                .contains("the fast path uses upcalls: " + Batch.FILE + " does not match this jar")
                .contains("EMULATED 4 devices");
    }

    @Test
    void aLibraryWithTheSameLayoutIsNot() throws IOException {
        assertThat(outcome(BatchSources.copyTo(folder.resolve("batch"))))
                .doesNotContain("upcalls")
                .contains("EMULATED 4 devices");
    }
}
