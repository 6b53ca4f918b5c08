package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What DOCA says in a callback is not believed: in DOCA 2.5 a message's length has 64 bits. */
@Timeout(60)
class UpcallsTest {

    @SuppressWarnings("restricted")
    private static MethodHandle handle(MemorySegment stub) {
        return Linker.nativeLinker()
                .downcallHandle(
                        stub,
                        FunctionDescriptor.ofVoid(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG));
    }

    private static long addressOf(ComchConnection connection) throws ReflectiveOperationException {
        Method address = ComchConnection.class.getDeclaredMethod("address");
        address.setAccessible(true);
        return (long) address.invoke(connection);
    }

    @ParameterizedTest
    @ValueSource(longs = {1L << 31, 1L << 32, (1L << 32) + 5, -1})
    void aLengthThatNoMessageCanHaveIsRefusedAndNotCut(long length) throws Throwable {
        int[] messages = new int[1];
        try (Machine machine = new Machine();
                Arena arena = Arena.ofConfined()) {
            ComchServer server = machine.server()
                    .onMessage((connection, message) -> messages[0] += (int) message.byteSize())
                    .onHandlerFailed(Machine::rethrow)
                    .start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            machine.until("the connection", () -> !server.connections().isEmpty());
            long connection = addressOf(server.connections().iterator().next());
            long bytes = arena.allocate(16).address();
            handle(Upcalls.Stub.WIDE_MESSAGE.address()).invoke(0L, bytes, length, connection);
            assertRefused(machine, length);
            handle(Upcalls.Stub.MESSAGE_OF.address()).invoke(bytes, length, connection, 0L);
            assertRefused(machine, length);
            assertThat(messages[0]).isZero();
            handle(Upcalls.Stub.WIDE_MESSAGE.address()).invoke(0L, bytes, 16L, connection);
            assertThat(messages[0]).isEqualTo(16);
            client.connection().send(new byte[3]);
            machine.until("a message of DOCA's", () -> messages[0] == 19);
        }
    }

    private static void assertRefused(Machine machine, long length) {
        assertThatThrownBy(machine.engine::progress)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TOO_BIG))
                .hasMessageContaining(Long.toUnsignedString(length) + " bytes");
    }
}
