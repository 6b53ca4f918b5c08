package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What event loops have, closed by a thread that is none of theirs. */
@Timeout(60)
class LoopClosingTest extends BothForms {

    /** The DPU's side on one loop and the host's on another, with a receive posted and a send queued. */
    private static final class Everything {
        final Map<String, AutoCloseable> parts = new LinkedHashMap<>();
        final Map<String, BooleanSupplier> closed = new LinkedHashMap<>();
        final EventLoop dpuLoop = EventLoop.start("dpu loop");
        final EventLoop hostLoop = EventLoop.start("host loop");
        final Device dpu = Device.openDpu(Machine.DPU);
        final Device host = Device.openHost(Machine.HOST);
        final Representor representor = dpu.openRepresentor(Machine.HOST);
        final ComchServer server;
        final ComchClient client;

        Everything() {
            String name = Machine.uniqueName();
            MemoryMap dpuMemory = MemoryMap.allocate(dpu, 1 << 16, Access.PCI_READ_WRITE);
            MemoryMap hostMemory = MemoryMap.allocate(host, 1 << 16, Access.PCI_READ_WRITE);
            BufferInventory inventory = BufferInventory.create(8);
            CountDownLatch connected = new CountDownLatch(1);
            server = dpuLoop.call(() -> ComchServer.builder(dpuLoop.engine(), dpu, representor, name)
                    .onConnected(connection -> connected.countDown())
                    .start());
            client = hostLoop.call(
                    () -> ComchClient.builder(hostLoop.engine(), host, name).connect(Machine.PATIENCE));
            until(() -> connected.getCount() == 0);
            ComchConsumer consumer = dpuLoop.call(() -> server.connections()
                    .iterator()
                    .next()
                    .consumer(dpuLoop.engine(), dpuMemory)
                    .start());
            until(consumer::isRunning);
            dpuLoop.call(() -> consumer.tryPost(inventory.acquireEmpty(dpuMemory, 0, 1024)));
            ComchProducer producer = hostLoop.call(
                    () -> client.connection().producer(hostLoop.engine()).start());
            hostLoop.call(() -> producer.enqueue(inventory.acquire(hostMemory, 0, 100), consumer.id()));
            part("dpu device", dpu, dpu::isClosed);
            part("host device", host, host::isClosed);
            part("representor", representor, representor::isClosed);
            part("server", server, server::isClosed);
            part("client", client, client::isClosed);
            part("dpu memory", dpuMemory, dpuMemory::isClosed);
            part("host memory", hostMemory, hostMemory::isClosed);
            part("inventory", inventory, inventory::isClosed);
            part("consumer", consumer, consumer::isClosed);
            part("producer", producer, producer::isClosed);
            SlotConsumer slotConsumer = dpuLoop.call(() -> server.connections()
                    .iterator()
                    .next()
                    .slotConsumer(dpuLoop.engine(), 64)
                    .onMessage((memory, offset, length, id) -> {})
                    .start());
            until(slotConsumer::isRunning);
            SlotProducer slotProducer = hostLoop.call(() -> client.connection()
                    .slotProducer(hostLoop.engine(), 64)
                    .onSendFailed((self, offset, length, status) -> {})
                    .start());
            hostLoop.call(() -> {
                slotProducer.claim(10, slotConsumer.id());
                slotProducer.commit();
                return slotProducer.claim(10, slotConsumer.id());
            });
            part("slot consumer", slotConsumer, slotConsumer::isClosed);
            part("slot producer", slotProducer, slotProducer::isClosed);
            part("dpu loop", dpuLoop, dpuLoop.engine()::isClosed);
            part("host loop", hostLoop, hostLoop.engine()::isClosed);
        }

        private void part(String name, AutoCloseable part, BooleanSupplier isClosed) {
            parts.put(name, part);
            closed.put(name, isClosed);
        }
    }

    private static void until(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            Thread.onSpinWait();
        }
    }

    static Stream<Arguments> orders() {
        List<String> names = List.of(
                "dpu device",
                "host device",
                "representor",
                "server",
                "client",
                "dpu memory",
                "host memory",
                "inventory",
                "consumer",
                "producer",
                "slot consumer",
                "slot producer",
                "dpu loop",
                "host loop");
        List<List<String>> orders = new ArrayList<>();
        orders.add(names);
        orders.add(names.reversed());
        for (String first : names) {
            List<String> order = new ArrayList<>(names);
            order.remove(first);
            order.addFirst(first);
            orders.add(order);
        }
        Random random = new Random(21);
        IntStream.range(0, 10).forEach(i -> {
            List<String> order = new ArrayList<>(names);
            Collections.shuffle(order, random);
            orders.add(order);
        });
        return orders.stream().map(order -> Arguments.of(String.join(", ", order), order));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("orders")
    void anyOrderWorks(String title, List<String> order) throws Exception {
        Everything everything = new Everything();
        for (String name : order) {
            everything.parts.get(name).close();
            assertThat(everything.closed.get(name).getAsBoolean()).as(name).isTrue();
        }
        for (AutoCloseable part : everything.parts.values()) {
            part.close(); // a second time
        }
        assertThat(everything.closed.values()).allMatch(BooleanSupplier::getAsBoolean);
    }

    @Test
    void theLoopOpenedFirstAndClosedLast() {
        ComchServer[] server = new ComchServer[1];
        try (EventLoop loop = EventLoop.start("loop");
                Device device = Device.openDpu(Machine.DPU);
                Representor representor = device.openRepresentor(Machine.HOST)) {
            server[0] = loop.call(() -> ComchServer.builder(loop.engine(), device, representor, Machine.uniqueName())
                    .start());
        }
        assertThat(server[0].isClosed()).isTrue();
    }

    @Test
    void aProducerOfTheCallingThreadOnAConnectionOfALoop() {
        Everything everything = new Everything();
        try (ProgressEngine engine = ProgressEngine.create()) {
            ComchProducer producer =
                    everything.client.connection().producer(engine).start();
            everything.host.close();
            assertThat(List.of(producer.isClosed(), everything.client.isClosed(), everything.host.isClosed()))
                    .containsOnly(true);
            assertThat(engine.isClosed()).isFalse();
        }
        everything.hostLoop.close();
        everything.dpuLoop.close();
        everything.dpu.close();
    }

    @Test
    void aConsumerOfALoopOnAConnectionOfTheCallingThread() {
        try (Machine machine = new Machine();
                EventLoop loop = EventLoop.start("loop");
                MemoryMap memory = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE)) {
            ComchServer server = machine.server().start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            ComchConsumer consumer = loop.call(() -> client.connection()
                    .consumer(loop.engine(), memory)
                    .buffers(1, 64)
                    .start());
            machine.until("the consumer", consumer::isRunning);
            machine.engine.close();
            assertThat(List.of(consumer.isClosed(), client.isClosed(), server.isClosed()))
                    .containsOnly(true);
        }
    }

    /** The last of them to be closed is what the connection has waited for. */
    @Test
    void consumersOfOtherLoopsOnAConnectionThatThePeerHasEnded() {
        Device dpu = Device.openDpu(Machine.DPU);
        Representor representor = dpu.openRepresentor(Machine.HOST);
        EventLoop control = EventLoop.start("control");
        List<EventLoop> workers = List.of(EventLoop.start("one"), EventLoop.start("two"));
        CompletableFuture<ComchConnection> connected = new CompletableFuture<>();
        CountDownLatch gone = new CountDownLatch(1);
        List<SlotConsumer> consumers = new ArrayList<>();
        try (Machine machine = new Machine()) {
            control.call(() -> ComchServer.builder(control.engine(), dpu, representor, machine.name)
                    .onConnected(connected::complete)
                    .onDisconnected(connection -> gone.countDown())
                    .start());
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            for (EventLoop worker : workers) {
                consumers.add(worker.call(() -> connected
                        .join()
                        .slotConsumer(worker.engine(), 64)
                        .onMessage((memory, offset, length, id) -> {})
                        .start()));
            }
            until(() -> consumers.stream().allMatch(SlotConsumer::isRunning));
            client.close();
            until(() -> gone.getCount() == 0);
            control.close();
        }
        assertThat(consumers).allMatch(SlotConsumer::isClosed);
        workers.forEach(EventLoop::close);
        dpu.close();
    }

    @Test
    void buffersInFlightInALoop() {
        Everything everything = new Everything();
        Buffer unused = ((BufferInventory) everything.parts.get("inventory"))
                .acquire((MemoryMap) everything.parts.get("host memory"), 0, 10);
        unused.close();
        assertThat(unused.isClosed()).isTrue();
        everything.host.close();
        everything.dpu.close();
        everything.hostLoop.close();
        everything.dpuLoop.close();
    }

    @Test
    void aLoopThatDoesSomethingElse() throws Exception {
        Everything everything = new Everything();
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<Thread> busy = new CompletableFuture<>();
        everything.hostLoop.call(() -> everything.hostLoop.engine().setTimeout(Duration.ofMillis(20)));
        CompletableFuture<Void> back = everything.hostLoop.submit(() -> {
            busy.complete(Thread.currentThread());
            release.await();
            everything.hostLoop.engine().setTimeout(Machine.PATIENCE); // to close everything, on a busy machine too
            return null;
        });
        Thread loop = busy.get(20, TimeUnit.SECONDS);
        until(() -> loop.getState() == Thread.State.WAITING); // messages name what it waits for
        assertThatThrownBy(everything.client::close)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT))
                .hasMessageContaining("host loop")
                .hasMessageContaining("client")
                .hasMessageContaining("CountDownLatch");
        assertThat(everything.client.isClosed()).isFalse();
        assertThatThrownBy(everything.hostLoop::close)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT))
                .hasMessageContaining("host loop")
                .hasMessageContaining("CountDownLatch");
        release.countDown();
        back.get(20, TimeUnit.SECONDS); // else the time to wait for is still the short one
        everything.hostLoop.close();
        assertThat(everything.client.isClosed())
                .as("the loop closes it when it comes back")
                .isTrue();
        everything.dpuLoop.close();
        everything.dpu.close();
        everything.host.close();
    }
}
