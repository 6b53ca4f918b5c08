package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.ComchOutputChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Wrong threads, callbacks that misbehave, and what they must not do. */
@Timeout(60)
class MisuseTest extends BothForms {
    private final Machine machine = new Machine();
    private final List<Runnable> inMessageHandler = new ArrayList<>();
    private ComchServer server;
    private ComchClient client;
    private int messages;

    @BeforeEach
    void connect() {
        server = machine.server()
                .onMessage((connection, message) -> {
                    messages++;
                    inMessageHandler.forEach(Runnable::run);
                })
                .onHandlerFailed(Machine::rethrow)
                .start();
        client = machine.client().connect(Machine.PATIENCE);
        machine.until("the connection", () -> !server.connections().isEmpty());
    }

    @AfterEach
    void close() {
        machine.close();
    }

    private static Throwable onOtherThread(Runnable action) {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(() -> thrown[0] = catchThrowable(action::run), "other");
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return thrown[0];
    }

    /** Sends a message and progresses until the server's handler has run; returns what progress() threw. */
    private Throwable trigger() {
        int before = messages;
        client.connection().send(new byte[] {1});
        return catchThrowable(() -> machine.until("the message", () -> messages > before));
    }

    @Test
    void anotherThreadIsTurnedAwayByName() {
        MemoryMap memory = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
        ComchProducer producer = client.connection().producer(machine.engine).start();
        Buffer buffer = producer.acquire(memory, 0, 1);
        ComchConnection connection = client.connection();
        ComchConsumer consumer = connection.consumer(machine.engine, memory).start(Machine.PATIENCE);
        ComchOutputChannel channel = ComchOutputChannel.open(connection, 1, machine.engine, 1, 64);
        List<Runnable> calls = List.of(
                machine.engine::progress,
                () -> machine.engine.progress(3),
                machine.engine::release,
                machine.engine::close,
                client::close,
                () -> server.connections(),
                () -> connection.trySend(new byte[1]),
                () -> connection.send(new byte[1]),
                connection::counters,
                () -> connection.producer(machine.engine).start(),
                () -> producer.trySend(buffer, 1),
                producer::flush,
                producer::retries,
                producer::close,
                consumer::keep,
                consumer::tryPostImmediate,
                () -> write(channel),
                () -> machine.client().start(),
                () -> machine.server().start(),
                () -> machine.engine.setTimeout(Duration.ZERO),
                machine.dpu::close,
                machine.engine::takeOver,
                machine.representor::close);
        for (Runnable call : calls) {
            assertThat(onOtherThread(call))
                    .isInstanceOf(WrongThreadException.class)
                    .hasMessageContaining("other")
                    .hasMessageContaining(Thread.currentThread().getName());
        }
        assertThat(client.isConnected()).as("readable from anywhere").isTrue();
        assertThat(trigger()).isNull();
    }

    private static void write(ComchOutputChannel channel) {
        try {
            channel.write(java.nio.ByteBuffer.allocate(1));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void anEngineIsHandedOverExplicitly() {
        machine.engine.release();
        assertThatThrownBy(machine.engine::progress)
                .isInstanceOf(WrongThreadException.class)
                .hasMessageContaining("takeOver()");
        assertThat(machine.engine.owner()).isNull();
        assertThat(onOtherThread(() -> {
                    machine.engine.takeOver();
                    client.connection().send(new byte[] {1});
                    machine.until("the message", () -> messages == 1);
                    machine.engine.release();
                }))
                .isNull();
        machine.engine.takeOver();
        machine.engine.takeOver();
        assertThat(trigger()).isNull();
        assertThat(messages).isEqualTo(2);
    }

    @Test
    void anEngineWhoseOwnerHasEndedMayBeClaimedOrClosed() {
        ProgressEngine[] engines = new ProgressEngine[2];
        assertThat(onOtherThread(() -> {
                    engines[0] = ProgressEngine.create();
                    engines[1] = ProgressEngine.create();
                }))
                .isNull();
        assertThatThrownBy(engines[0]::progress).isInstanceOf(WrongThreadException.class);
        engines[0].takeOver();
        assertThat(engines[0].progress()).isFalse();
        engines[0].close();
        engines[1].close();
        assertThat(engines[1].isClosed()).isTrue();
    }

    @Test
    void whatAMessageHandlerThrowsComesOutOfProgress() {
        RuntimeException thrown = new RuntimeException("handler");
        inMessageHandler.add(() -> {
            throw thrown;
        });
        assertThat(trigger()).isSameAs(thrown);
        inMessageHandler.clear();
        assertThat(trigger()).as("the engine goes on").isNull();
        inMessageHandler.add(() -> {
            throw new AssertionError("an error too");
        });
        assertThat(trigger()).isInstanceOf(AssertionError.class).hasMessage("an error too");
        inMessageHandler.clear();
        inMessageHandler.add(() -> MisuseTest.<RuntimeException>sneak(new java.io.IOException("checked")));
        assertThat(trigger()).isInstanceOf(java.io.IOException.class);
        inMessageHandler.clear();
        inMessageHandler.add(MisuseTest::overflow);
        assertThat(trigger()).isInstanceOf(StackOverflowError.class);
    }

    @SuppressWarnings("InfiniteRecursion") // that is what it is for
    private static int overflow() {
        return overflow() + 1;
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void whatOtherHandlersThrowComesOutToo() {
        ComchServer other = ComchServer.builder(machine.engine, machine.dpu, machine.representor, Machine.uniqueName())
                .onConnected(connection -> {
                    throw new IllegalArgumentException("connected");
                })
                .onDisconnected(connection -> {
                    throw new IllegalArgumentException("disconnected");
                })
                .onHandlerFailed(Machine::rethrow)
                .start();
        ComchClient third = ComchClient.builder(machine.engine, machine.host, other.name())
                .onConsumer((connection, id) -> {
                    throw new IllegalArgumentException("consumer");
                })
                .start();
        assertThatThrownBy(() -> machine.until("the connection", () -> false)).hasMessage("connected");
        machine.until(
                "the connection",
                () -> third.isConnected() && other.connections().size() == 1);
        MemoryMap memory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
        ComchConsumer consumer = other.connections()
                .iterator()
                .next()
                .consumer(machine.engine, memory)
                .buffers(2, 64)
                .onReceive((self, buffer, producerId, immediate) -> {
                    throw new IllegalArgumentException("received");
                })
                .start();
        assertThatThrownBy(() -> machine.until("the consumer", () -> false)).hasMessage("consumer");
        machine.until("the start", consumer::isRunning);
        MemoryMap hostMemory = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
        ComchProducer producer = third.connection()
                .producer(machine.engine)
                .onCompletion((self, buffer, status) -> {
                    throw new IllegalArgumentException("completed");
                })
                .start();
        assertThat(producer.trySend(producer.acquire(hostMemory, 0, 8), consumer.id())
                        .accepted())
                .isTrue();
        List<String> thrown = new ArrayList<>();
        while (thrown.size() < 2) {
            Throwable t = catchThrowable(() -> machine.until("a handler", () -> false));
            thrown.add(t.getMessage());
        }
        assertThat(thrown).containsExactlyInAnyOrder("received", "completed");
        assertThat(consumer.posted())
                .as("posted again although its handler threw")
                .isEqualTo(2);
        producer.close();
        consumer.close();
        third.close();
        assertThatThrownBy(() -> machine.until("the end", () -> false)).hasMessage("disconnected");
    }

    @Test
    void whatIsThrownInTheStartIsThrownByTheStart() {
        MemoryMap tiny = MemoryMap.allocate(machine.dpu, 64, Access.PCI_READ_WRITE);
        ComchConsumer consumer = server.connections()
                .iterator()
                .next()
                .consumer(machine.engine, tiny)
                .buffers(1, 64)
                .start();
        assertThatThrownBy(() -> {
                    tiny.close(); // closes the consumer on it too
                    consumer.acquire(0, 1);
                })
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void progressInsideACallbackIsRefused() {
        inMessageHandler.add(machine.engine::progress);
        assertThat(trigger())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("progress() cannot be called inside a callback");
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "client", "engine", "dpu", "representor"})
    void whatIsClosedInsideACallbackIsClosedWhenTheCallbackHasReturned(String what) {
        AutoCloseable victim = Map.<String, AutoCloseable>of(
                        "server", server,
                        "client", client,
                        "engine", machine.engine,
                        "dpu", machine.dpu,
                        "representor", machine.representor)
                .get(what);
        boolean[] connectedInside = new boolean[1];
        inMessageHandler.add(() -> {
            assertThatCode(victim::close).doesNotThrowAnyException();
            assertThatCode(victim::close).as("a second time").doesNotThrowAnyException();
            connectedInside[0] = client.state() == ContextState.RUNNING;
        });
        assertThat(trigger()).isNull();
        assertThat(connectedInside[0])
                .as("not before the callback has returned")
                .isTrue();
        assertThat(server.isClosed()).isEqualTo(!what.equals("client"));
        if (what.equals("engine")) {
            assertThat(machine.engine.isClosed()).isTrue();
            assertThatThrownBy(machine.engine::progress).isInstanceOf(IllegalStateException.class);
        } else {
            machine.until(
                    "the end",
                    () -> client.state() == ContextState.IDLE
                            && server.connections().isEmpty());
        }
    }

    @Test
    void whatFailsToCloseAfterACallbackFailsTheProgress() {
        inMessageHandler.add(() -> {
            machine.engine.setTimeout(Duration.ZERO);
            client.close();
        });
        assertThat(trigger())
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT));
        assertThat(client.isClosed()).isFalse();
        machine.engine.setTimeout(Machine.PATIENCE);
        client.close();
        assertThat(client.isClosed()).isTrue();
    }

    @Test
    void releasingOrConnectingInsideACallbackIsRefused() {
        inMessageHandler.add(machine.engine::release);
        assertThat(trigger()).isInstanceOf(IllegalStateException.class);
        inMessageHandler.clear();
        inMessageHandler.add(() -> machine.client().connect(Machine.PATIENCE));
        assertThat(trigger()).isInstanceOf(IllegalStateException.class).hasMessageContaining("use start()");
    }

    @Test
    void anotherEngineMayBeProgressedAndClosedInsideACallback() {
        ProgressEngine second = ProgressEngine.create();
        inMessageHandler.add(() -> {
            second.progress();
            second.close();
        });
        assertThat(trigger()).isNull();
        assertThat(second.isClosed()).isTrue();
    }

    @Test
    void whatIsThrownWhileClosingIsThrownAtTheEndOfClosing() {
        MemoryMap memory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
        ComchConsumer consumer = server.connections()
                .iterator()
                .next()
                .consumer(machine.engine, memory)
                .buffers(2, 64)
                .onReceiveFailed((self, buffer, error) -> {
                    throw new IllegalArgumentException("flushed");
                })
                .start(Machine.PATIENCE);
        assertThatThrownBy(consumer::close)
                .hasMessage("flushed")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(consumer.isClosed()).isTrue();
    }

    @Test
    void aProducerOfAnotherThreadKeepsItsConnectionOpenUntilThatThreadClosesIt() {
        ProgressEngine[] engine = new ProgressEngine[1];
        ComchProducer[] producer = new ComchProducer[1];
        Thread[] owner = new Thread[1];
        Object gate = new Object();
        boolean[] go = new boolean[1];
        synchronized (gate) {
            owner[0] = new Thread(
                    () -> {
                        engine[0] = ProgressEngine.create();
                        producer[0] = client.connection().producer(engine[0]).start();
                        synchronized (gate) {
                            gate.notifyAll();
                            while (!go[0]) {
                                try {
                                    gate.wait();
                                } catch (InterruptedException e) {
                                    return;
                                }
                            }
                        }
                        engine[0].close();
                    },
                    "owner of the producer");
            owner[0].start();
            while (producer[0] == null) {
                try {
                    gate.wait();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
        assertThatThrownBy(client::close)
                .isInstanceOf(WrongThreadException.class)
                .hasMessageContaining("owner of the producer");
        assertThat(client.isConnected()).isTrue();
        synchronized (gate) {
            go[0] = true;
            gate.notifyAll();
        }
        try {
            owner[0].join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(producer[0].isClosed()).isTrue();
        client.close();
    }

    /** One connection, its control path on one engine and a consumer on another, both of this thread. */
    @Test
    void twoEnginesOfOneThreadMayBeProgressedInsideEachOther() {
        int[] received = new int[1];
        List<Throwable> thrown = new ArrayList<>();
        try (ProgressEngine second = ProgressEngine.create();
                MemoryMap sink = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
                MemoryMap source = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_ONLY)) {
            ComchConnection accepted = server.connections().iterator().next();
            ComchConsumer consumer = accepted.consumer(second, sink)
                    .buffers(4, 64)
                    .onReceive((self, buffer, producerId, immediate) -> {
                        received[0]++;
                        thrown.add(catchThrowable(machine.engine::progress)); // which is what calls this
                    })
                    .start(Machine.PATIENCE);
            ComchProducer producer =
                    client.connection().producer(machine.engine).start();
            Buffer buffer = producer.acquire(source, 0, 8);
            machine.until("its announcement", () -> client.connection().remoteConsumers().length == 1);
            assertThat(producer.trySend(buffer, consumer.id()).accepted()).isTrue();
            machine.until("the completion", () -> producer.inFlight() == 0);
            inMessageHandler.add(() -> {
                second.progress(10);
                thrown.add(catchThrowable(consumer::close));
            });
            assertThat(trigger()).isNull();
            assertThat(received[0]).isEqualTo(1);
            assertThat(thrown.getFirst())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("inside a callback");
            assertThat(thrown).hasSize(2);
            inMessageHandler.clear();
            assertThat(trigger()).isNull();
            consumer.close();
            assertThat(consumer.isClosed()).isTrue();
            assertThat(accepted.isOpen()).isTrue();
        }
        assertThat(trigger()).isNull();
    }
}
