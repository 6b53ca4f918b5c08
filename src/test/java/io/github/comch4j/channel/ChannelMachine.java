package io.github.comch4j.channel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Both sides of the emulated BlueField, for endpoints. */
final class ChannelMachine implements AutoCloseable {
    final Device host = Device.openHost(Machine.HOST);
    final Device dpu = Device.openDpu(Machine.DPU);
    final Representor representor = dpu.openRepresentor(Machine.HOST);
    final String name = Machine.uniqueName();
    final MemorySegment buffer = Arena.ofAuto().allocate(8192);
    private final Carrier carrier;

    ChannelMachine(Carrier carrier) {
        this.carrier = carrier;
    }

    ChannelEndpoint.Builder service() {
        return ChannelEndpoint.builder(dpu).carrier(carrier);
    }

    ChannelService listen() {
        return service().listen(representor, name);
    }

    ChannelEndpoint.Builder clients() {
        return ChannelEndpoint.builder(host).carrier(carrier);
    }

    ChannelClient client() {
        return clients().client();
    }

    /** Waits for the end of a thread. */
    static void joined(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Connects in a thread that accepts meanwhile: this one. */
    ChannelPeer connect(ChannelClient client, ChannelService service) {
        ChannelPeer peer = client.connect(service.name());
        until("the connection", () -> {
            accept(service);
            return peer.update() != ChannelPeerState.IN_PROGRESS;
        });
        if (peer.state() != ChannelPeerState.CONNECTED) {
            throw new AssertionError(peer + " is " + peer.state());
        }
        return peer;
    }

    /** Receives nothing, and accepts who waits. */
    private void accept(ChannelService service) {
        try {
            if (service.tryReceive(buffer) != null) {
                throw new AssertionError("a message before the connection");
            }
        } catch (PeerBrokenException e) {
            e.peer().disconnect(); // of an earlier connection
        }
    }

    static MemorySegment bytes(String text) {
        return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The message that the endpoint has just received. */
    String text(ChannelEndpoint endpoint) {
        return new String(buffer.asSlice(0, endpoint.receivedLength()).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** The next message as text; null if there was none in time. */
    @Nullable
    String receive(ChannelEndpoint endpoint) {
        return endpoint.receive(buffer, Machine.PATIENCE) == null ? null : text(endpoint);
    }

    /** The same of a sender in this thread, which may have to do something before its messages arrive. */
    String receive(ChannelEndpoint endpoint, ChannelPeer sending) {
        until("a message", () -> {
            sending.update();
            return endpoint.tryReceive(buffer) != null;
        });
        return text(endpoint);
    }

    static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for: " + what);
            }
            Thread.yield();
        }
    }

    @Override
    public void close() {
        host.close();
        dpu.close();
    }
}
