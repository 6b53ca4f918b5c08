package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.ContextState;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is asked for in vain: the exception says what and by which function, and afterwards everything else works as
 * before.
 */
@Timeout(60)
class RefusalsTest extends BothForms {
    private final Machine machine = new Machine();
    private ComchServer server;
    private ComchClient client;
    private ComchConnection accepted;
    private MemoryMap hostMemory;
    private MemoryMap dpuMemory;
    private Runnable inMessageHandler = () -> {};
    private int messages;

    @BeforeEach
    void connect() {
        server = machine.server()
                .onMessage((connection, message) -> {
                    messages++;
                    inMessageHandler.run();
                })
                .onConnected(connection -> accepted = connection)
                .onHandlerFailed(Machine::rethrow)
                .start();
        client = machine.client().connect(Machine.PATIENCE);
        machine.until("the connection", () -> accepted != null);
        hostMemory = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
        dpuMemory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
    }

    @AfterEach
    void everythingElseWorks() {
        EmulatedFaults.clear();
        inMessageHandler = () -> {};
        if (client.isConnected()) {
            int before = messages;
            client.connection().send(new byte[1]);
            machine.until("a message", () -> messages > before);
        }
        machine.close();
        assertThat(server.isClosed()).isTrue();
        assertThat(hostMemory.isClosed())
                .as("nothing that was refused has kept the device open")
                .isTrue();
    }

    private static void assertRefused(ThrowingCallable call, DocaError error, String function) {
        assertThatThrownBy(call).isInstanceOfSatisfying(DocaException.class, e -> {
            assertThat(e.error()).as("%s", e).isEqualTo(error);
            assertThat(e.function()).isEqualTo(function);
        });
    }

    private Throwable inHandler(Runnable action) {
        inMessageHandler = action;
        int before = messages;
        client.connection().send(new byte[1]);
        return catchThrowable(() -> machine.until("the message", () -> messages > before));
    }

    @Test
    void settingsBeyondWhatTheDeviceCanDo() {
        int tooMany = 1 << 30;
        assertRefused(
                () -> machine.client().maxMessageSize(tooMany).start(),
                DocaError.INVALID_VALUE,
                Machine.function("doca_comch_client_set_max_msg_size"));
        assertRefused(
                () -> ComchServer.builder(machine.engine, machine.dpu, machine.representor, Machine.uniqueName())
                        .receiveQueueSize(tooMany)
                        .start(),
                DocaError.INVALID_VALUE,
                Machine.function("doca_comch_server_set_recv_queue_size"));
        try (MemoryMap readable = MemoryMap.allocate(machine.dpu, 64, Access.LOCAL_READ_WRITE)) {
            assertThatThrownBy(() -> accepted.consumer(machine.engine, readable).start())
                    .isInstanceOf(DocaException.class);
        }
    }

    @Test
    @Needs(Feature.IMMEDIATE_DATA)
    void moreImmediateDataThanTheDeviceCanDo() {
        assertRefused(
                () -> accepted.consumer(machine.engine, dpuMemory)
                        .immediateLength(1 << 30)
                        .start(),
                DocaError.INVALID_VALUE,
                "doca_comch_consumer_set_imm_data_len");
        assertThatThrownBy(() -> accepted.consumer(machine.engine, dpuMemory)
                        .immediateLength(33)
                        .start())
                .hasMessageContaining("immediateLength 33")
                .hasMessageContaining("at most 32");
        ComchConsumer consumer = accepted.consumer(machine.engine, dpuMemory)
                .buffers(1, 2048)
                .immediateLength(8)
                .start(Machine.PATIENCE);
        ComchProducer producer = client.connection().producer(machine.engine).start();
        assertThatThrownBy(() -> producer.trySendImmediate(consumer.id(), MemorySegment.ofArray(new byte[33])))
                .hasMessageContaining("33 bytes of immediate data")
                .hasMessageContaining("at most 32");
        assertThatThrownBy(() -> producer.trySendImmediate(consumer.id(), MemorySegment.ofArray(new byte[9])))
                .hasMessageContaining("9 bytes of immediate data")
                .hasMessageContaining("at most 8");
    }

    @Test
    void messagesSayWhatIsPossible() {
        assertThatThrownBy(() -> machine.client().sendTasks(1 << 30).start())
                .hasMessageContaining("sendTasks " + (1 << 30))
                .hasMessageContaining("at most " + Capabilities.of(machine.host).maxSendTasks());
        assertThatThrownBy(() -> ComchServer.builder(machine.engine, machine.dpu, machine.representor, "x".repeat(500))
                        .start())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("500 bytes")
                .hasMessageContaining(Capabilities.of(machine.dpu).maxNameLength() + " are possible");
        assertThatThrownBy(() -> ComchClient.builder(machine.engine, machine.dpu, "anyone")
                        .start())
                .hasMessageContaining("Device.openDpu");
        assertThatThrownBy(() -> ComchServer.builder(machine.engine, machine.host, machine.representor, "anyone")
                        .start())
                .hasMessageContaining("Device.openDpu");
        assertThatThrownBy(() -> MemoryMap.allocate(machine.host, 64, Access.PCI_READ_ONLY, Access.PCI_READ_WRITE))
                .hasMessageContaining("[PCI_READ_ONLY, PCI_READ_WRITE]");
        assertThatThrownBy(() -> ComchOutputChannel.open(client.connection(), 77, machine.engine, 1, 64)
                        .write(ByteBuffer.allocate(100)))
                .hasMessageContaining("64 bytes")
                .hasMessageContaining("consumer 77");
    }

    private static final String FOR_THE_OTHER_DEVICE =
            "the memory map of 4096 bytes is mapped for [device 0000:%s], not for device 0000:%s";

    @Test
    void memoryOfTheOtherSidesDevice() {
        ComchConsumer consumer =
                accepted.consumer(machine.engine, dpuMemory).buffers(2, 64).start(Machine.PATIENCE);
        ComchProducer producer = client.connection().producer(machine.engine).start();
        String forDpu = FOR_THE_OTHER_DEVICE.formatted("03:00.0", "b1:00.0");
        Buffer mine = producer.acquire(hostMemory, 0, 8);
        Buffer theirs = producer.acquire(dpuMemory, 64, 8);
        assertThatThrownBy(() ->
                        client.connection().consumer(machine.engine, dpuMemory).start())
                .hasMessageContaining(Machine.function("doca_comch_consumer_create"))
                .hasMessageContaining(forDpu);
        assertThatThrownBy(() -> accepted.consumer(machine.engine, hostMemory).start())
                .hasMessageContaining(FOR_THE_OTHER_DEVICE.formatted("b1:00.0", "03:00.0"));
        assertThatThrownBy(() -> producer.trySend(theirs, consumer.id()))
                .hasMessageContaining("INVALID_VALUE")
                .hasMessageContaining(forDpu);
        assertThatThrownBy(() -> producer.enqueue(theirs, consumer.id()))
                .hasMessageContaining("INVALID_VALUE")
                .hasMessageContaining(forDpu);
        assertThat(theirs.isInFlight()).isFalse();
        // what is mapped for both is anybody's, and what was refused has used up nothing
        try (MemoryMap shared = MemoryMap.builder(machine.dpu, machine.host)
                .access(Access.PCI_READ_WRITE)
                .allocate(64)) {
            assertThat(producer.trySend(producer.acquire(shared, 0, 8), consumer.id())
                            .accepted())
                    .isTrue();
            assertThat(producer.trySend(mine, consumer.id()).accepted()).isTrue();
            machine.until("both", () -> consumer.received() == 2 && producer.inFlight() == 0);
        }
        // another refusal is not blamed on memory that is right
        assertThatThrownBy(() -> producer.trySend(mine, 77))
                .hasMessageContaining("consumer 77")
                .hasMessageNotContaining("mapped for");
    }

    @Test
    void importedMemoryIsNotSent() {
        ComchConsumer consumer = client.connection()
                .consumer(machine.engine, hostMemory)
                .buffers(1, 64)
                .start(Machine.PATIENCE);
        ComchProducer producer = accepted.producer(machine.engine).start();
        try (MemoryMap imported = MemoryMap.importFrom(machine.dpu, hostMemory.exportPci(machine.host))) {
            Buffer buffer = producer.acquire(imported, 64, 8);
            assertThatThrownBy(() -> producer.trySend(buffer, consumer.id()))
                    .hasMessageContaining("NOT_SUPPORTED")
                    .hasMessageContaining("another process");
        }
    }

    @Test
    void moreRoomThanTheDeviceTakesIsNotPosted() {
        long most = Capabilities.of(machine.dpu).consumer().orElseThrow().maxBufferSize();
        try (MemoryMap large = MemoryMap.allocate(machine.dpu, most + 1, Access.PCI_READ_WRITE);
                ComchConsumer consumer =
                        accepted.consumer(machine.engine, large).start(Machine.PATIENCE)) {
            Buffer buffer = consumer.acquire(0, most + 1);
            assertThatThrownBy(() -> consumer.tryPost(buffer))
                    .hasMessageContaining("INVALID_VALUE")
                    .hasMessageContaining("at most " + most);
            assertThat(consumer.tryPost(consumer.acquire(1, most)).accepted()).isTrue();
        }
    }

    @Test
    void messagesNameTheReasonAndTheLimit() {
        long tasks = Capabilities.of(machine.host).producer().orElseThrow().maxTasks();
        assertThatThrownBy(() -> client.connection()
                        .producer(machine.engine)
                        .tasks(131_072)
                        .start())
                .hasMessageContaining("tasks 131072")
                .hasMessageContaining("at most " + tasks);
        assertThatThrownBy(() -> accepted.consumer(machine.engine, dpuMemory)
                        .tasks(131_072)
                        .start())
                .hasMessageContaining("tasks 131072")
                .hasMessageContaining("at most " + tasks);
        try (MemoryMap readable = MemoryMap.allocate(machine.dpu, 64, Access.LOCAL_READ_WRITE)) {
            assertThatThrownBy(() -> accepted.consumer(machine.engine, readable).start())
                    .hasMessageContaining("[LOCAL_READ_WRITE]")
                    .hasMessageContaining("not for PCI_READ_WRITE");
        }
        ComchConsumer consumer =
                accepted.consumer(machine.engine, dpuMemory).buffers(1, 2048).start(Machine.PATIENCE);
        ComchProducer producer = client.connection().producer(machine.engine).start();
        Buffer large = producer.acquire(hostMemory, 0, 4096);
        assertThatThrownBy(() -> producer.trySend(large, consumer.id()))
                .hasMessageContaining("4096 bytes of data")
                .hasMessageContaining("has room for 2048");
        assertThatThrownBy(() -> producer.trySend(large, 77))
                .hasMessageContaining("consumer 77")
                .hasMessageContaining("no such consumer");
        assertThatThrownBy(() -> machine.server().start())
                .hasMessageContaining("already")
                .hasMessageNotContaining("probably");
    }

    @Test
    void aNameThatIsTaken() {
        DocaException refusal =
                (DocaException) catchThrowable(() -> machine.server().start());
        assertThat(refusal).isNotNull();
        assertThat(refusal.function()).isEqualTo("doca_ctx_start");
    }

    @Test
    void numbersThatMakeNoSense() {
        List<ThrowingCallable> calls = List.of(
                () -> accepted.consumer(machine.engine, dpuMemory).tasks(0),
                () -> accepted.consumer(machine.engine, dpuMemory).immediateLength(-1),
                () -> accepted.consumer(machine.engine, dpuMemory).buffers(0, 1),
                () -> accepted.consumer(machine.engine, dpuMemory).buffers(1, 0),
                () -> accepted.consumer(machine.engine, dpuMemory).buffers(5, 1024),
                () -> client.connection().producer(machine.engine).tasks(0),
                () -> machine.client().sendTasks(0),
                () -> machine.client().maxMessageSize(0),
                () -> machine.server().receiveQueueSize(0),
                () -> machine.engine.progress(0),
                () -> machine.engine.progress(0, 1),
                () -> machine.engine.progress(1, -1),
                () -> machine.engine.progress(1, (1 << 16) + 1),
                () -> machine.engine.setTimeout(Duration.ofMillis(-1)));
        for (int i = 0; i < calls.size(); i++) {
            assertThatThrownBy(calls.get(i)).as("call %d", i).isInstanceOf(IllegalArgumentException.class);
        }
        accepted.consumer(machine.engine, dpuMemory)
                .tasks(1)
                .immediateLength(0)
                .buffers(4, 1024)
                .start(Machine.PATIENCE); // the smallest and the fullest
    }

    @Test
    void aServerThatDoesNotAnswerInTime() {
        new EmulatedFaults().acceptDelay(Duration.ofSeconds(60)).apply();
        // the server is on this engine, and holds the client back
        assertRefused(() -> machine.client().connect(Duration.ofMillis(20)), DocaError.TIME_OUT, "doca_ctx_start");
    }

    @Test
    void aConsumerWhoseOtherSideDoesNotAnswerInTime() {
        assertRefused(
                () -> accepted.consumer(machine.engine, dpuMemory).start(Duration.ZERO),
                DocaError.TIME_OUT,
                "doca_ctx_start");
    }

    @Test
    void waitingInACallback() throws IOException {
        assertThat(inHandler(() -> accepted.consumer(machine.engine, dpuMemory).start(Machine.PATIENCE)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("use start()");
        ComchInputChannel input = ComchInputChannel.open(accepted, machine.engine, 1, 16);
        assertThat(input.isOpen()).isTrue();
        assertThat(inHandler(() -> catchAndThrow(() -> input.read(ByteBuffer.allocate(1)))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("inside a callback");
        machine.engine.setTimeout(Duration.ofMillis(5));
        assertRefused(
                () -> {
                    throw catchThrowable(() -> input.read(ByteBuffer.allocate(1)))
                            .getCause();
                },
                DocaError.TIME_OUT,
                "doca_pe_progress");
        machine.engine.setTimeout(Machine.PATIENCE);
        assertThat(machine.engine.timeout()).isEqualTo(Machine.PATIENCE);
        input.close();
        assertThat(input.isOpen()).isFalse();
    }

    private static void catchAndThrow(ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
        assertThat(thrown).isNull();
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void aMessageThatFailsAndNobodyAsked() {
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        client.connection().send(new byte[1]);
        assertRefused(() -> machine.until("the failure", () -> false), DocaError.IO_FAILED, "doca_task_submit");
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void aReceiveThatFailsAndNobodyAsked() {
        ComchConsumer consumer =
                accepted.consumer(machine.engine, dpuMemory).buffers(2, 64).start(Machine.PATIENCE);
        ComchProducer producer = client.connection()
                .producer(machine.engine)
                .onCompletion((self, buffer, status) -> {})
                .start();
        new EmulatedFaults().failReceive(1, DocaError.IO_FAILED).apply();
        assertThat(producer.trySend(producer.acquire(hostMemory, 0, 8), consumer.id())
                        .accepted())
                .isTrue();
        assertRefused(() -> machine.until("the failure", () -> false), DocaError.IO_FAILED, "doca_task_submit");
        assertThat(consumer.failed()).isEqualTo(1);
        machine.until("the message, in the other buffer", () -> consumer.received() == 1);
        assertThat(consumer.posted()).as("it is posted again").isEqualTo(2);
        for (int i = 1; i <= 2; i++) {
            int count = 1 + i;
            machine.until(
                    "room",
                    () -> producer.trySend(producer.acquire(hostMemory, 0, 8), consumer.id())
                            .accepted());
            machine.until("it", () -> consumer.received() == count);
        }
    }

    @Test
    void moreReceivesThanTasks() {
        ComchConsumer consumer =
                accepted.consumer(machine.engine, dpuMemory).tasks(1).start(Machine.PATIENCE);
        Buffer first = consumer.acquire(0, 64);
        Buffer second = consumer.acquire(64, 64);
        assertThat(consumer.tryPost(first).accepted()).isTrue();
        assertThat(consumer.tryPost(second)).isEqualTo(SubmitResult.NO_TASK);
        assertThat(second.isInFlight()).isFalse();
        assertThatThrownBy(() -> consumer.tryPost(first))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("in flight");
        assertThat(consumer.posted()).isEqualTo(1);
        assertThat(List.of(consumer.connection(), consumer.engine(), consumer.memory()))
                .containsExactly(accepted, machine.engine, dpuMemory);
    }

    @Test
    void aClientDoesNotDisconnect() {
        assertThatThrownBy(() -> client.connection().disconnect())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void codesThatDocaDoesNotHave() {
        assertThatThrownBy(() -> ContextState.of(99))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("99");
        for (ContextState state : ContextState.values()) {
            assertThat(ContextState.of(state.code())).isEqualTo(state);
        }
    }
}
