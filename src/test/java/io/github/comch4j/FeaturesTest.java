package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.channel.Carrier;
import io.github.comch4j.channel.ChannelCapabilities;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.Pair;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.dma.DmaCapabilities;
import io.github.comch4j.dma.DmaContext;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.testing.EmulatedBlueField;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the loaded release has works, and what it lacks is refused where it is asked for, with the release that has it.
 */
@Timeout(60)
@EmulatedBlueField(limits = "max_buf_list_len 8")
class FeaturesTest extends BothForms {
    private Pair pair;
    private ComchConsumer consumer;
    private ComchProducer producer;
    private final List<Integer> producers = new ArrayList<>();

    @BeforeEach
    void open() {
        pair = new Pair();
        consumer = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .buffers(4, Pair.SLOT)
                .onReceive((self, buffer, from, immediate) -> producers.add(from))
                .start(Machine.PATIENCE);
        producer = pair.hostSide.producer(pair.machine.engine).tasks(3).start();
        pair.machine.until("the consumer", () -> pair.hostSide.remoteConsumers().length > 0);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private Buffer buffer(long offset) {
        return producer.acquire(pair.sendMemory, offset, 8);
    }

    /** With the feature the call goes well; without it, it is refused by the name of a function. */
    private static void assertThereOrMissing(Feature feature, String function, String since, ThrowingCallable call) {
        if (feature.isThere()) {
            assertThat(org.assertj.core.api.Assertions.catchThrowable(call)).isNull();
            return;
        }
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MissingFunctionException.class,
                        e -> assertThat(e.function()).isEqualTo(function))
                .hasMessageContaining(NativeLibrary.describe())
                .hasMessageContaining(since);
    }

    @Test
    void endpoints() {
        assertThereOrMissing(
                Feature.COMM_CHANNEL,
                "doca_comm_channel_ep_create",
                "1.5 to 2.8",
                () -> ChannelEndpoint.builder(pair.machine.host)
                        .carrier(Carrier.COMM_CHANNEL)
                        .client()
                        .close());
        assertThereOrMissing(
                Feature.COMM_CHANNEL,
                "doca_comm_channel_ep_create",
                "libdoca_comm_channel",
                () -> ChannelCapabilities.of(pair.machine.host, Carrier.COMM_CHANNEL));
        ChannelEndpoint.builder(pair.machine.host).client().close();
    }

    @Test
    void theDpa() {
        assertThereOrMissing(
                Feature.DPA,
                "doca_dpa_create",
                "libdoca_dpa",
                () -> Dpa.builder(pair.machine.host).start().close());
        assertThatThrownBy(() -> DpaApplication.load(Path.of("no.so"), "x"))
                .isInstanceOf(Feature.DPA.isThere() ? IllegalArgumentException.class : MissingFunctionException.class);
        assertThat(Dpa.isSupported(pair.machine.host)).isEqualTo(Feature.DPA.isThere());
    }

    @Test
    void dma() {
        assertThereOrMissing(
                Feature.DMA,
                "doca_dma_create",
                "from 2.5 on, in libdoca_dma.so",
                () -> DmaContext.builder(pair.machine.dpu, pair.machine.engine)
                        .start()
                        .close());
        assertThat(DmaContext.isSupported(pair.machine.host)).isEqualTo(Feature.DMA.isThere());
        assertThat(DmaCapabilities.of(pair.machine.host).isPresent()).isEqualTo(Feature.DMA.isThere());
    }

    @Test
    void immediateData() {
        MemorySegment bytes = MemorySegment.ofArray(new byte[4]);
        String send = "doca_comch_producer_task_send_set_imm_data";
        Buffer first = buffer(0);
        assertThereOrMissing(
                Feature.IMMEDIATE_DATA, send, "since 2.7", () -> producer.trySend(first, consumer.id(), bytes));
        pair.machine.until("the completion", () -> producer.inFlight() == 0);
        assertThat(first.isInFlight()).isFalse();
        // with a task that was allocated before
        assertThat(producer.trySend(first, consumer.id()).accepted()).isTrue();
        pair.machine.until("the completion", () -> producer.inFlight() == 0);
        assertThereOrMissing(
                Feature.IMMEDIATE_DATA, send, "since 2.7", () -> producer.trySend(first, consumer.id(), bytes));
        pair.machine.until("the completion", () -> producer.inFlight() == 0);
        assertThereOrMissing(
                Feature.IMMEDIATE_DATA, send, "since 2.7", () -> producer.trySendImmediate(consumer.id(), bytes));
        pair.machine.until("the completion", () -> producer.inFlight() == 0);
        assertThat(producer.trySend(first, consumer.id()).accepted())
                .as("goes on")
                .isTrue();
        pair.machine.until("the completion", () -> producer.inFlight() == 0);
        try (var slots = pair.hostSide.slotProducer(pair.machine.engine, 16).start()) {
            slots.claim(8, consumer.id());
            assertThereOrMissing(Feature.IMMEDIATE_DATA, send, "since 2.7", () -> slots.commit(8, bytes));
            if (!Feature.IMMEDIATE_DATA.isThere()) {
                slots.commit(); // is claimed still
            }
            pair.machine.until("the completion", () -> slots.sent() == 1);
        }
        String most = "doca_comch_consumer_set_imm_data_len";
        assertThereOrMissing(
                Feature.IMMEDIATE_DATA,
                most,
                "since 2.7",
                () -> pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .immediateLength(8)
                        .start());
        pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .immediateLength(0)
                .start()
                .close();
        String get = "doca_comch_consumer_task_post_recv_get_imm_data";
        assertThereOrMissing(Feature.IMMEDIATE_DATA, get, "since 2.7", consumer::tryPostImmediate);
        assertThereOrMissing(
                Feature.IMMEDIATE_DATA,
                get,
                "since 2.7",
                () -> pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .immediateReceives(1)
                        .start());
        assertThat(consumer.immediateLength() > 0).isEqualTo(Feature.IMMEDIATE_DATA.isThere());
        assertThat(Capabilities.of(pair.machine.dpu).maxImmediateLength() > 0)
                .isEqualTo(Feature.IMMEDIATE_DATA.isThere());
    }

    /** Unknown is 0: it is read in handlers, which a refusal would end. */
    @Test
    void idsOfProducers() {
        pair.machine.until(
                "room", () -> producer.trySend(buffer(0), consumer.id()).accepted());
        pair.machine.until("the data", () -> !producers.isEmpty());
        if (Feature.PRODUCER_IDS.isThere()) {
            assertThat(producer.id()).isPositive();
            assertThat(producer).hasToString("producer " + producer.id() + " on " + pair.hostSide);
        } else {
            assertThat(producer.id()).isZero();
            assertThat(producer).hasToString("producer on " + pair.hostSide);
        }
        assertThat(producers).containsExactly(producer.id());
        assertThat(consumer.id()).isPositive();
    }

    @Test
    void theEndOfOneConnection() {
        assertThereOrMissing(
                Feature.DISCONNECT, "doca_comch_server_disconnect", "since 2.7", () -> pair.dpuSide.disconnect());
        if (Feature.DISCONNECT.isThere()) {
            assertThat(pair.dpuSide.isOpen()).isFalse();
            return;
        }
        assertThat(pair.dpuSide.isOpen()).isTrue();
        assertThat(consumer.isClosed()).as("what would end first").isFalse();
        assertThat(producer.trySend(buffer(0), consumer.id()).accepted()).isTrue();
        pair.client.close();
        pair.machine.until("the end", () -> !pair.dpuSide.isOpen());
        pair.dpuSide.disconnect(); // has ended
    }

    @Test
    void listsOfBuffers() {
        BufferList list = BufferList.of(buffer(0), buffer(100));
        if (Feature.BUFFER_LISTS.isThere()) {
            assertThat(producer.trySend(list, consumer.id()).accepted()).isTrue();
            return;
        }
        assertThatThrownBy(() -> producer.trySend(list, consumer.id()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("2 buffers")
                .hasMessageContaining("takes at most 1");
        assertThat(producer.trySend(BufferList.of(buffer(200)), consumer.id()).accepted())
                .as("a list of one")
                .isTrue();
        assertThat(Capabilities.of(pair.machine.host).producer().orElseThrow().maxBufferListLength())
                .isEqualTo(1);
    }

    @Test
    void poolsOfTasks() {
        boolean any = Feature.POOLS_OF_ANY_SIZE.isThere();
        assertThat(producer.tasks()).isEqualTo(any ? 3 : 4);
        for (int i = 0; i < producer.tasks(); i++) {
            assertThat(producer.enqueue(buffer(i * 8L), consumer.id()).accepted())
                    .isTrue();
        }
        assertThat(producer.enqueue(buffer(100), consumer.id()).accepted()).isFalse();
        try (ComchConsumer five = pair.dpuSide
                .consumer(pair.machine.engine, pair.receiveMemory)
                .tasks(2)
                .buffers(5, 10)
                .start(Machine.PATIENCE)) {
            assertThat(five.tasks()).isEqualTo(any ? 5 : 8);
            assertThat(five.posted()).isEqualTo(5);
        }
        for (int[] sizes : new int[][] {{1, 1}, {2, 2}, {3, 4}, {1000, 1024}, {1024, 1024}}) {
            try (var server = io.github.comch4j.comch.ComchServer.builder(
                            pair.machine.engine, pair.machine.dpu, pair.machine.representor, Machine.uniqueName())
                    .sendTasks(sizes[0])
                    .start()) {
                assertThat(server.sendTasks()).isEqualTo(any ? sizes[0] : sizes[1]);
            }
        }
        long most = Capabilities.of(pair.machine.host).producer().orElseThrow().maxTasks();
        pair.hostSide.producer(pair.machine.engine).tasks((int) most).start().close();
        assertThatThrownBy(() -> pair.hostSide
                        .producer(pair.machine.engine)
                        .tasks((int) most + 1)
                        .start())
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INVALID_VALUE))
                .hasMessageContaining("takes at most " + most);
    }

    @Test
    void coreOf30() {
        try (ProgressEngine engine = ProgressEngine.create();
                BufferInventory inventory = BufferInventory.create(1)) {
            assertThereOrMissing(
                    Feature.EVENT_MODE,
                    "doca_pe_set_event_mode",
                    "DOCA 3.0 has",
                    () -> engine.setSelectiveEvents(false));
            assertThereOrMissing(
                    Feature.EXPANDING_INVENTORIES,
                    "doca_buf_inventory_expand",
                    "DOCA 3.0 has",
                    () -> inventory.expand(1));
            Buffer buffer = inventory.acquire(pair.sendMemory, 0, 8);
            assertThereOrMissing(
                    Feature.MOVING_BUFFERS,
                    "doca_buf_inventory_buf_reuse_by_data",
                    "DOCA has since 3.2",
                    () -> inventory.move(buffer, 8, 16));
            assertThat(buffer.offset()).isEqualTo(Feature.MOVING_BUFFERS.isThere() ? 8 : 0);
        }
        assertThat(pair.machine.host.properties().functionType().isPresent())
                .isEqualTo(Feature.FUNCTION_TYPES.isThere());
        assertThat(pair.machine.host.properties().vhcaId().isPresent()).isEqualTo(Feature.DEVICE_DETAILS.isThere());
        // bits in a second, in gigabits with DOCA 2.6
        if (Symbols.has("doca_devinfo_get_active_rate")) {
            assertThat(pair.machine.host.properties().activeRate()).hasValue(200_000_000_000L);
        }
    }

    /** Which release it is, which the lists of what tests need go by. */
    @Test
    void theReleaseIsTheOneThatWasChosen() {
        LibraryInfo library = Doca.library();
        boolean older = library.kind() == LibraryInfo.Kind.FOLDER;
        if (library.location().endsWith("2.6")) {
            assertThat(library.generation()).isEqualTo(LibraryInfo.Generation.CC_2_6);
            assertThat(library.version()).startsWith("2.6");
            assertThat(Feature.values())
                    .filteredOn(Feature::isThere)
                    .containsExactlyInAnyOrder(
                            Feature.PRODUCER_IDS, Feature.POOLS_OF_ANY_SIZE, Feature.COMM_CHANNEL, Feature.DMA);
        } else if (library.location().endsWith("2.5")) {
            assertThat(library.generation()).isEqualTo(LibraryInfo.Generation.CC_2_5);
            assertThat(library.version()).startsWith("2.5");
            assertThat(Feature.values())
                    .filteredOn(Feature::isThere)
                    .containsExactlyInAnyOrder(Feature.COMM_CHANNEL, Feature.DMA);
        } else {
            assertThat(library.generation()).isEqualTo(LibraryInfo.Generation.COMCH);
            assertThat(Feature.values())
                    .filteredOn(feature -> feature.function.startsWith("doca_comch_"))
                    .hasSize(5)
                    .allMatch(Feature::isThere);
            assertThat(Feature.values())
                    .filteredOn(feature -> !feature.function.startsWith("doca_com"))
                    .hasSize(7)
                    .allMatch(feature -> feature.isThere() != older);
            assertThat(Feature.COMM_CHANNEL.isThere()).isEqualTo(older);
        }
    }
}
