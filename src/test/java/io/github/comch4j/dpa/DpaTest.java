package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Feature;
import io.github.comch4j.Needs;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The life of a DPA, its program, its memory, and calls of functions in C. */
@Timeout(60)
@Needs(Feature.DPA)
class DpaTest extends DpaScene {
    @Test
    void aCallGetsIntegersAndReturnsOne() {
        DpaFunction sum = program.function("sum");
        assertThat(dpa.rpc(sum, 1, 1, 1, 1, 1, 1, 1, 1)).isEqualTo(36);
        assertThat(dpa.rpc(sum, -1L, 0xffff_ffffL, 0, 0, 0, 0, 0, 1L << 60))
                .isEqualTo(-1 + 2 * 0xffff_ffffL + (8L << 60));
        assertThat(dpa.rpc(sum)).isZero();
        assertThat(dpa.rpc(sum, new long[16])).isZero();
        assertThatThrownBy(() -> dpa.rpc(sum, new long[17]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("sum takes at most 16 arguments, not 17");
    }

    @Test
    void memoryIsCopiedAndFilled() {
        DpaMemory memory = dpa.allocate(100).fill((byte) -1);
        byte[] bytes = new byte[100];
        memory.read(0, MemorySegment.ofArray(bytes));
        assertThat(bytes).containsOnly(-1);
        memory.write(8, MemorySegment.ofArray(new long[] {42, 43}));
        assertThat(dpa.rpc(program.function("load"), memory.address() + 16)).isEqualTo(43);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(16);
            memory.read(8, copy);
            assertThat(copy.toArray(java.lang.foreign.ValueLayout.JAVA_LONG)).containsExactly(42, 43);
            memory.write(84, copy);
            memory.read(84, copy.asSlice(0, 0));
            assertThatThrownBy(() -> memory.write(85, copy)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.read(-1, copy)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> memory.read(0, copy.asReadOnly())).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(memory.size()).isEqualTo(100);
        assertThat(memory).hasToString("100 bytes on " + dpa);
        memory.close();
        memory.close();
        assertThatThrownBy(() -> memory.fill((byte) 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> dpa.allocate(0)).isInstanceOf(IllegalArgumentException.class);
        assertRefused(DocaError.NO_MEMORY, () -> dpa.allocate(1L << 40));
    }

    @Test
    void itsProgramIsFoundByName(@TempDir Path folder) {
        assertThat(dpa.application()).isSameAs(program);
        assertThat(program).hasToString("application test_program");
        assertThat(program.function("sum")).hasToString("sum");
        Path library = program.library();
        assertThatThrownBy(() -> program.function("no_such_function"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no_such_function")
                .hasMessageContaining(library.toString());
        assertThatThrownBy(() -> DpaApplication.load(library, "no_such_program"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no_such_program");
        assertThatThrownBy(() -> DpaApplication.load(folder.resolve("none.so"), "x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("none.so");
        assertThatThrownBy(() -> DpaFunction.of("f", MemorySegment.NULL)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> DpaFunction.of("f", MemorySegment.ofArray(new byte[1])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatItSaysGoesToTheFilesThatWereAskedFor(@TempDir Path folder) throws IOException {
        Path log = folder.resolve("log");
        Path trace = folder.resolve("trace");
        try (Dpa quiet = Dpa.builder(machine.host)
                .application(program)
                .logLevel(Level.WARNING)
                .logFile(log)
                .traceFile(trace)
                .start()) {
            assertThat(quiet.logLevel()).isEqualTo(Level.WARNING);
            quiet.rpc(program.function("say"), 7);
        }
        assertThat(Files.readString(log))
                .contains("an error 7")
                .contains("a warning")
                .doesNotContain("information");
        assertThat(Files.readString(trace)).containsPattern("\\b7\\b.*\\b5\\b");
        assertThat(dpa.logLevel()).isEqualTo(Level.INFO);
        assertRefused(
                DocaError.OPERATING_SYSTEM,
                () -> Dpa.builder(machine.host)
                        .logFile(folder.resolve("none/log"))
                        .start());
    }

    @Test
    void itHasSizes() {
        DpaProperties sizes = dpa.properties();
        assertThat(sizes.cores()).isPositive();
        assertThat(sizes.units()).isLessThanOrEqualTo(sizes.cores() * sizes.unitsPerCore());
        assertThat(sizes.maxThreads()).isPositive();
        assertThat(sizes.maxRunTime()).isGreaterThan(Duration.ZERO);
        assertThat(dpa.handle()).isNotZero();
        assertThat(dpa).hasToString("the DPA of " + machine.host);
        assertThat(dpa.device()).isSameAs(machine.host);
    }

    @Test
    void aKernelsMistakeIsItsLastError() {
        assertThat(dpa.lastError()).isNull();
        dpa.rpc(program.function("misuse"), 0, 12345);
        assertThat(dpa.lastError()).satisfies(e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE));
        assertThat(dpa.rpc(program.function("sum"), 1)).as("goes on").isEqualTo(1);
        assertThat(dpa.lastError()).as("until it is closed").isNotNull();
        try (Dpa other = Dpa.builder(machine.host).start()) {
            assertThat(other.lastError()).isNull();
        }
    }

    @Test
    void aDeviceIsClosedWithItsDpa() {
        DpaMemory memory = dpa.allocate(8);
        machine.host.close();
        assertThat(dpa.isClosed()).isTrue();
        assertThat(memory.isClosed()).isTrue();
        assertThatThrownBy(() -> dpa.allocate(8)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> dpa.rpc(program.function("sum"))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(dpa::lastError).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Dpa.builder(machine.host).start()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Dpa.isSupported(machine.host)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void bothPhysicalFunctionsHaveOne() {
        assertThat(Dpa.isSupported(machine.host)).isTrue();
        assertThat(Dpa.isSupported(machine.dpu)).isTrue();
    }
}
