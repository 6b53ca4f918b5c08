package io.github.comch4j.cli.conformance;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A producer with so many buffers, for the peer's consumer: each is free again when its send has ended. */
final class BufferWindow {
    /** How sends have ended that have failed. */
    final List<DocaError> failed = new ArrayList<>();

    private final Stage stage;
    private final ComchProducer producer;
    private final int consumer;
    private final List<Buffer> free = new ArrayList<>();

    BufferWindow(Stage stage, ComchConnection connection, int buffers, long size) {
        this.stage = stage;
        consumer = stage.consumers(connection, 1)[0];
        MemoryMap memory = stage.memory(buffers * size);
        producer = connection
                .producer(stage.engine)
                .tasks(buffers)
                .onCompletion((self, buffer, status) -> {
                    free.add(buffer);
                    if (status != DocaError.SUCCESS) {
                        failed.add(status);
                    }
                })
                .start();
        for (int i = 0; i < buffers; i++) {
            free.add(producer.acquire(memory, i * size, size));
        }
    }

    boolean trySend() {
        return trySend(data -> {});
    }

    /** {@code filled} writes what is to be sent. */
    boolean trySend(Consumer<MemorySegment> filled) {
        if (free.isEmpty()) {
            return false;
        }
        filled.accept(free.getLast().data());
        if (!producer.trySend(free.getLast(), consumer).accepted()) {
            return false;
        }
        free.removeLast();
        return true;
    }

    void awaitCompletions() {
        stage.await(() -> producer.inFlight() == 0);
    }
}
