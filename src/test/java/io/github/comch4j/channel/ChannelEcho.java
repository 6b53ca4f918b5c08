package io.github.comch4j.channel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Representor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * The other process of {@link ChannelTwoProcessIT}: {@code serve}, {@code flood} or {@code deaf}, a carrier, a name.
 *
 * <p>{@code serve} echoes until it is killed; {@code flood} sends numbers as fast as they go, and {@code deaf}
 * connects, says one word and receives nothing.
 */
public final class ChannelEcho {
    private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

    private ChannelEcho() {}

    public static void main(String[] arguments) throws InterruptedException {
        Machine.useEmulation();
        Carrier carrier = Carrier.valueOf(arguments[1]);
        if (arguments[0].equals("serve")) {
            serve(carrier, arguments[2]);
        } else {
            connect(carrier, arguments[2], arguments[0].equals("flood"));
        }
    }

    private static void serve(Carrier carrier, String name) {
        try (Device dpu = Device.openDpu(Machine.DPU);
                Representor representor = dpu.openRepresentor(Machine.HOST);
                ChannelService service =
                        ChannelEndpoint.builder(dpu).carrier(carrier).listen(representor, name)) {
            System.out.println("READY");
            MemorySegment buffer = Arena.global().allocate(service.maxMessageSize());
            while (true) {
                try {
                    ChannelPeer from = service.receive(buffer, FOR_EVER);
                    if (from != null) {
                        service.send(from, buffer.asSlice(0, service.receivedLength()), FOR_EVER);
                    }
                } catch (PeerBrokenException e) {
                    e.peer().disconnect();
                }
            }
        }
    }

    private static void connect(Carrier carrier, String name, boolean floods) throws InterruptedException {
        try (Device host = Device.openHost(Machine.HOST);
                ChannelClient client =
                        ChannelEndpoint.builder(host).carrier(carrier).client()) {
            ChannelPeer service = client.connect(name, Machine.PATIENCE);
            MemorySegment message = Arena.global().allocate(JAVA_INT);
            client.send(service, message, Machine.PATIENCE);
            System.out.println("READY");
            if (floods) {
                for (int number = 1; true; number++) {
                    message.set(JAVA_INT, 0, number);
                    client.send(service, message, FOR_EVER);
                }
            }
            Thread.sleep(Machine.PATIENCE);
        }
    }
}
