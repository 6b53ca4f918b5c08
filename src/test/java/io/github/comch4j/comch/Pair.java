package io.github.comch4j.comch;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.MemoryMap;
import java.util.stream.IntStream;

/** Both ends of one connection in one process, with memory for the fast path. */
public final class Pair implements AutoCloseable {
    public static final int SLOT = 4096;
    public static final int SEND_TASKS = 4;

    public final Machine machine = new Machine();
    public final MemoryMap sendMemory = MemoryMap.allocate(machine.host, 64 * SLOT, Access.PCI_READ_WRITE);
    public final MemoryMap receiveMemory =
            MemoryMap.allocate(machine.dpu, 64 * SLOT, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
    public final ComchServer server =
            machine.server().onHandlerFailed(Machine::rethrow).start();
    public final ComchClient client;
    public final ComchConnection hostSide;
    public final ComchConnection dpuSide;
    /** Told what the client's messages could not be delivered for. */
    public final java.util.List<io.github.comch4j.DocaError> failures = new java.util.ArrayList<>();

    public Pair() {
        client = machine.client()
                .sendTasks(SEND_TASKS)
                .onSendFailed((connection, error) -> failures.add(error))
                .connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
        hostSide = client.connection();
        dpuSide = server.connections().iterator().next();
    }

    /** Waits until the host knows the card's consumer with this id. */
    public void awaitKnown(int consumer) {
        machine.until(
                "the consumer is known",
                () -> IntStream.of(hostSide.remoteConsumers()).anyMatch(id -> id == consumer));
    }

    @Override
    public void close() {
        machine.close();
    }
}
