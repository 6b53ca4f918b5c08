package io.github.comch4j;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * A server of another build of the emulated device, as far as all builds are alike: it answers each greeting with one
 * of version 77 that refuses. Packets over a Unix-domain socket, which the JDK does not have.
 */
@SuppressWarnings("restricted")
final class OtherVersion {
    static final int VERSION = 77;

    private static final int AF_UNIX = 1;
    private static final int SOCK_SEQPACKET = 5;
    private static final int ADDRESS_BYTES = 110;
    private static final int REJECT = 3;
    private static final int OTHER_PROTOCOL = 3;

    private static final MethodHandle SOCKET = function("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = function("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle LISTEN = function("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT = function("accept", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle RECEIVE = function("recv", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SEND = function("send", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle CLOSE = function("close", JAVA_INT);

    private OtherVersion() {}

    private static MethodHandle function(String name, MemoryLayout... arguments) {
        return Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().find(name).orElseThrow(),
                        FunctionDescriptor.of(JAVA_INT, arguments));
    }

    private static int call(MethodHandle function, Object... arguments) {
        try {
            int result = (int) function.invokeWithArguments(arguments);
            if (result < 0) {
                throw new AssertionError("a call of the system has failed");
            }
            return result;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Serves at that path until the process ends. */
    static void serve(Path path) {
        MemorySegment address = Arena.global().allocate(ADDRESS_BYTES);
        address.set(JAVA_SHORT, 0, (short) AF_UNIX);
        address.setString(2, path.toString());
        int listener = call(SOCKET, AF_UNIX, SOCK_SEQPACKET, 0);
        call(BIND, listener, address, ADDRESS_BYTES);
        call(LISTEN, listener, 16);
        Thread.ofPlatform().daemon().start(() -> {
            while (true) {
                int client = call(ACCEPT, listener, MemorySegment.NULL, MemorySegment.NULL);
                answer(client);
                call(CLOSE, client);
            }
        });
    }

    /** The words that all versions share: magic, version, kind, two others, and in an answer the reason. */
    private static void answer(int client) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = arena.allocate(1024);
            int bytes = call(RECEIVE, client, message, message.byteSize(), 0);
            message.asSlice(24).fill((byte) 0);
            message.set(JAVA_INT, 4, VERSION);
            message.set(JAVA_INT, 8, REJECT);
            message.set(JAVA_INT, 20, OTHER_PROTOCOL);
            call(SEND, client, message, (long) bytes, 0);
        }
    }
}
