package io.github.comch4j.misuse;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelPeerState;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.comch.Broadcast;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.SlotConsumer;
import io.github.comch4j.comch.SlotProducer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.dma.DmaContext;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.dpa.DpaCompletion;
import io.github.comch4j.dpa.DpaConsumerCompletion;
import io.github.comch4j.dpa.DpaFunction;
import io.github.comch4j.dpa.DpaMemory;
import io.github.comch4j.dpa.DpaThread;
import io.github.comch4j.dpa.Kernels;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.ConsumerLabels;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.io.RecordWriter;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcRequest;
import io.github.comch4j.rpc.RpcServer;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One object of each kind, connected and in use. */
final class Scene implements AutoCloseable {
    /** Where a program's code runs when it is called back. */
    enum Place {
        NOWHERE,
        MESSAGE,
        RECEIVE,
        COMPLETION,
        CONSUMER,
        STATE,
        CONNECTED
    }

    static final String LOOP = "loop";

    final Machine machine = new Machine();
    final ProgressEngine engine = machine.engine;
    /** By name, in an order in which they can be closed. */
    final Map<String, Object> objects = new LinkedHashMap<>();

    ComchServer server;
    ComchClient client;
    ComchConnection accepted;
    ComchProducer producer;
    ComchProducer releasing; // closes what it has sent
    ComchConsumer consumer;
    Buffer free; // of the consumer, not posted
    Buffer buffer; // of the producer
    BufferList list; // of two others
    MemoryMap hostMemory;
    MemoryMap dpuMemory;
    private final Map<String, Object> dpaObjects = new LinkedHashMap<>();
    private final Map<String, Object> loopObjects = new LinkedHashMap<>();
    private List<Device> loopDevices = List.of();
    private int messages;
    private boolean running;

    private Place place = Place.NOWHERE;
    private Runnable action = () -> {};

    /** @param progressed whether all of them run already; else they are new */
    Scene(boolean progressed) {
        server = machine.server()
                .onMessage((connection, message) -> {
                    messages++;
                    at(Place.MESSAGE);
                })
                .onConnected(connection -> {
                    accepted = accepted == null ? connection : accepted;
                    at(Place.CONNECTED);
                })
                .start();
        client = machine.client()
                .onConsumer((connection, id) -> at(Place.CONSUMER))
                .start();
        machine.until("the connection", () -> client.isConnected() && accepted != null);
        hostMemory = MemoryMap.allocate(machine.host, 1 << 16, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        dpuMemory = MemoryMap.allocate(machine.dpu, 1 << 16, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        consumer = accepted.consumer(engine, dpuMemory)
                .buffers(4, 256)
                .onReceive((self, received, from, immediate) -> at(Place.RECEIVE))
                .onReceiveFailed((self, failed, error) -> {})
                .start();
        producer = client.connection()
                .producer(engine)
                .tasks(8)
                .onCompletion((self, sent, status) -> at(Place.COMPLETION))
                .onListCompletion((self, sent, status) -> {})
                .start();
        if (progressed) {
            machine.until(
                    "the consumer",
                    () -> consumer.isRunning() && client.connection().remoteConsumers().length > 0);
        }
        free = consumer.acquire(2048, 64);
        buffer = producer.acquire(hostMemory, 0, 64);
        BufferInventory inventory = BufferInventory.create(8);
        BufferPool pool = BufferPool.create(hostMemory, 4, 64);
        MemoryMap imported = MemoryMap.importFrom(machine.dpu, hostMemory.exportPci(machine.host));
        list = BufferList.of(producer.acquire(hostMemory, 256, 64), producer.acquire(hostMemory, 320, 64));
        objects.put("list", list);
        releasing = client.connection()
                .producer(engine)
                .tasks(8)
                .releaseSent()
                .onCompletion((self, sent, status) -> {})
                .start();
        Broadcast.Pool broadcasts = Broadcast.Pool.create(hostMemory, 2, 64);
        objects.put("broadcast", broadcasts.tryAcquire());
        objects.put("broadcast pool", broadcasts);
        objects.put("slot", pool.tryAcquire());
        objects.put("pool", pool);
        objects.put("buffer", buffer);
        objects.put("buffer of the consumer", free);
        objects.put("buffer of an inventory", inventory.acquire(hostMemory, 128, 64));
        objects.put("imported buffer", inventory.acquire(imported, 128, 64));
        ComchInputChannel input = ComchInputChannel.open(accepted, engine, 2, 64);
        if (progressed) {
            machine.until("the stream", () -> client.connection().remoteConsumers().length > 1);
        }
        Capabilities capabilities = Capabilities.of(machine.host);
        objects.put("capabilities", capabilities);
        objects.put("capabilities of producers", capabilities.producer().orElseThrow());
        objects.put("capabilities of consumers", capabilities.consumer().orElseThrow());
        objects.put("properties", machine.host.properties());
        objects.put("output", ComchOutputChannel.open(client.connection(), input.id(), engine, 2, 64));
        objects.put("input", input);
        objects.put("inventory", inventory);
        SlotConsumer slotConsumer = accepted.slotConsumer(engine, 64).tasks(2).start();
        if (progressed) {
            machine.until("the slots", slotConsumer::isRunning);
        }
        SlotProducer slotProducer = client.connection()
                .slotProducer(engine, 64)
                .tasks(2)
                .onSendFailed((self, offset, length, error) -> {})
                .start();
        objects.put("record writer", new RecordWriter(slotProducer, slotConsumer.id()));
        objects.put("slot producer", slotProducer);
        objects.put("slot consumer", slotConsumer);
        objects.put("slot producer builder", client.connection().slotProducer(engine, 64));
        objects.put("slot consumer builder", accepted.slotConsumer(engine, 64));
        objects.put("producer", producer);
        objects.put("consumer", consumer);
        if (Feature.DMA.isThere()) {
            objects.put(
                    "DMA",
                    DmaContext.builder(machine.host, engine)
                            .tasks(4)
                            .onCopied((self, from, to, status) -> {})
                            .onListCopied((self, from, to, status) -> {})
                            .start());
            objects.put("DMA builder", DmaContext.builder(machine.host, engine));
        }
        objects.put("producer builder", client.connection().producer(engine));
        objects.put("consumer builder", accepted.consumer(engine, dpuMemory));
        objects.put("labels", new ConsumerLabels());
        objects.put("connection", client.connection());
        objects.put("connection of the server", accepted);
        objects.put("client", client);
        objects.put("server", server);
        objects.put(
                "client builder",
                ComchClient.builder(engine, machine.host, machine.name)
                        .onStateChanged((self, after) -> at(Place.STATE)));
        objects.put(
                "server builder", ComchServer.builder(engine, machine.dpu, machine.representor, Machine.uniqueName()));
        objects.put("map builder", MemoryMap.builder(machine.host).access(Access.PCI_READ_WRITE));
        objects.put("imported map", imported);
        objects.put("map of the host", hostMemory);
        objects.put("map of the DPU", dpuMemory);
        objects.put("engine", engine);
        objects.put("representor", machine.representor);
        objects.put("host", machine.host);
        objects.put("DPU", machine.dpu);
    }

    private void at(Place where) {
        if (where == place) {
            place = Place.NOWHERE;
            action.run();
            running = false;
        }
    }

    /** A loop and sockets, which take longer to make. */
    Map<String, Object> withLoop() {
        if (loopObjects.isEmpty()) {
            EventLoop loop = EventLoop.start("loop");
            Device host = Device.openHost(Machine.HOST);
            Device dpu = Device.openDpu(Machine.DPU);
            Representor representor = dpu.openRepresentor(Machine.HOST);
            String name = Machine.uniqueName();
            MessageServerSocket serverSocket = MessageServerSocket.open(loop, dpu, representor, name);
            MessageSocket socket = MessageSocket.connect(loop, host, name, Machine.PATIENCE);
            loopObjects.put("socket", socket);
            loopObjects.put("accepted socket", serverSocket.accept(Machine.PATIENCE));
            loopObjects.put("server socket", serverSocket);
            loopObjects.put("socket builder", MessageSocket.builder(loop, host, name));
            loopObjects.put(
                    "server socket builder", MessageServerSocket.builder(loop, dpu, representor, Machine.uniqueName()));
            String calls = Machine.uniqueName();
            RpcServer rpcServer = RpcServer.builder(loop, dpu, representor, calls)
                    .method(1, RpcRequest::body)
                    .start();
            loopObjects.put("rpc client", RpcClient.builder(loop, host, calls).connect(Machine.PATIENCE));
            loopObjects.put("rpc server", rpcServer);
            loopObjects.put("rpc client builder", RpcClient.builder(loop, host, calls));
            loopObjects.put("rpc server builder", RpcServer.builder(loop, dpu, representor, Machine.uniqueName()));
            putChannel(host, dpu, representor);
            loopObjects.put(LOOP, loop);
            loopDevices = List.of(host, dpu);
        }
        return loopObjects;
    }

    /** A DPA and what is made on it, on the scene's engine. */
    Map<String, Object> withDpa() {
        if (dpaObjects.isEmpty()) {
            DpaApplication program = Kernels.program();
            DpaFunction kernel = program.function("sum");
            Dpa dpa = Dpa.builder(machine.host)
                    .application(program)
                    .logLevel(Level.OFF)
                    .start();
            DpaMemory memory = dpa.allocate(64);
            DpaThread thread = dpa.thread(kernel).start();
            DpaCompletion completion = dpa.completion(4);
            DpaConsumerCompletion received =
                    dpa.consumerCompletion().consumers(2).start();
            MessageQueue toDpa = MessageQueue.toDpa(dpa, 2, 2);
            MessageQueue fromDpa = MessageQueue.fromDpa(dpa, 2, 2);
            JavaKernels kernels = JavaKernels.of(dpa);
            dpaObjects.put("kernels in Java", kernels);
            DpaFunction keep = kernels.rpc("keep", (context, arguments) -> { // all of them are over when it returns
                dpaObjects.put("context of a kernel", context);
                dpaObjects.put("memory of a kernel", context.memory());
                return 0;
            });
            dpa.rpc(keep);
            dpaObjects.put("function", kernel);
            dpaObjects.put("application", program);
            dpaObjects.put("event builder", dpa.syncEvent().publishedByDpa().awaitedByDpa());
            dpaObjects.put(
                    "event",
                    dpa.syncEvent()
                            .publishedByCpu()
                            .publishedByDpa()
                            .awaitedByDpa()
                            .start());
            dpaObjects.put("launch builder", dpa.launch(kernel));
            dpaObjects.put("launch", dpa.launch(kernel).launch(1, 2));
            dpaObjects.put("operations", dpa.asyncOps(completion, 4, 1));
            dpaObjects.put("table", dpa.hashTable(4));
            dpaObjects.put("group", dpa.group(dpa.thread(kernel).start()));
            dpaObjects.put("notification", dpa.notification(thread));
            dpaObjects.put("queue consumer builder", fromDpa.consumer(engine));
            dpaObjects.put("queue producer builder", toDpa.producer(engine));
            dpaObjects.put("queue consumer", fromDpa.consumer(engine).start());
            dpaObjects.put(
                    "queue producer",
                    toDpa.producer(engine).onSendFailed((self, status) -> {}).start());
            dpaObjects.put("DPA consumer", toDpa.dpaConsumer(received, 64));
            dpaObjects.put("DPA producer", fromDpa.dpaProducer(completion, 64));
            dpaObjects.put("consumers' completion builder", dpa.consumerCompletion());
            dpaObjects.put("consumers' completion", received);
            dpaObjects.put("completion", completion);
            dpaObjects.put("thread builder", dpa.thread(kernel));
            dpaObjects.put("thread of the DPA", thread);
            dpaObjects.put("memory of the DPA", memory);
            dpaObjects.put("queue", toDpa);
            dpaObjects.put("DPA builder", Dpa.builder(machine.host));
            dpaObjects.put("DPA", dpa);
        }
        return dpaObjects;
    }

    /** One that takes longer to make. */
    Object other(String name) {
        Object found = withDpa().get(name);
        return found == null ? withLoop().get(name) : found;
    }

    private void putChannel(Device host, Device dpu, Representor representor) {
        ChannelService service = ChannelEndpoint.builder(dpu).listen(representor, Machine.uniqueName());
        ChannelClient channelClient = ChannelEndpoint.builder(host).client();
        ChannelPeer peer = channelClient.connect(service.name());
        MemorySegment room = Arena.ofAuto().allocate(service.maxMessageSize());
        BooleanSupplier connected = () -> {
            service.tryReceive(room);
            return peer.update() == ChannelPeerState.CONNECTED;
        };
        Machine.until("the channel", connected, new ProgressEngine[0]);
        channelClient.send(peer, room.asSlice(0, 1), Machine.PATIENCE);
        loopObjects.put("peer of the channel service", service.receive(room, Machine.PATIENCE));
        loopObjects.put("peer of the channel client", peer);
        loopObjects.put("channel service", service);
        loopObjects.put("channel client", channelClient);
        loopObjects.put("channel service builder", ChannelEndpoint.builder(dpu));
        loopObjects.put("channel client builder", ChannelEndpoint.builder(host));
    }

    /** Runs something in a callback. */
    void inCallback(Place where, Runnable what) {
        action = what;
        place = where;
        running = true;
        switch (where) {
            case RECEIVE, COMPLETION ->
                machine.until(
                        "a send", () -> producer.trySend(buffer, consumer.id()).accepted());
            case CONSUMER -> accepted.consumer(engine, dpuMemory).start();
            case STATE -> ((ComchClient.Builder) objects.get("client builder")).start();
            case CONNECTED -> machine.client().start();
            default -> client.connection().send(new byte[] {1});
        }
        if (running) {
            machine.until("the callback", () -> !running);
        }
    }

    /** Everything that is open still works. */
    void check() {
        if (!engine.isClosed()
                && engine.owner() == Thread.currentThread()
                && !client.isClosed()
                && client.isConnected()
                && accepted.isOpen()) {
            int before = messages;
            try {
                client.connection().send(new byte[] {1});
            } catch (ConnectionClosedException e) {
                return; // noticed now
            }
            machine.until("a message", () -> messages > before || !client.isConnected());
        }
    }

    @Override
    public void close() {
        if (!loopObjects.isEmpty()) {
            ((EventLoop) loopObjects.get(LOOP)).close();
            loopDevices.forEach(Device::close);
        }
        machine.close();
        ((BufferPool) objects.get("pool")).close();
        ((BufferInventory) objects.get("inventory")).close();
    }

    static final Duration SHORT = Duration.ofMillis(1);
}
