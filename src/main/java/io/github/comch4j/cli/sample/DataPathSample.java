package io.github.comch4j.cli.sample;

import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ControlPathEndpoint;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.MemoryMap;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A text over the fast path, from the client to the server, then one the other way: each time the receiver makes a
 * consumer with one posted buffer, and the sender a producer. Two messages of the control path begin and end it.
 */
public final class DataPathSample extends SampleEnd {
    private static final String START = "start_data_path_test";
    private static final String STOP = "stop_data_path_test";
    private static final String GIVES_UP = "the server gives up";
    private static final int TASKS = 2;
    private static final int BUFFER_BYTES = 1 << 20;

    private int remoteConsumer; // the peer's; 0: there is none
    private boolean stopping;

    public DataPathSample(SampleOptions options) {
        super(options, "data_path");
    }

    @Override
    void configure(ControlPathEndpoint.Builder<?> settings) {
        settings.onConsumer((connection, id) -> changed("New", id, id))
                .onConsumerExpired((connection, id) -> changed("Expired", id, 0));
    }

    private void changed(String how, int id, int remote) {
        System.out.println(how + " consumer of the peer, ID " + id);
        remoteConsumer = remote;
    }

    @Override
    void heard(String message) {
        if (!options.server() && !stopping && message.equals(STOP)) {
            patience.fail(GIVES_UP);
        }
    }

    @Override
    void converse() {
        if (options.server()) {
            expect(START);
            say(START);
            receiveText();
            sendText();
            expect(STOP);
            say(STOP); // arrives, although the server is closed at once
        } else {
            say(START);
            expect(START);
            sendText();
            receiveText();
            stopping = true;
            say(STOP);
            expect(STOP);
        }
    }

    private void say(String message) {
        peer.send(message.getBytes(StandardCharsets.US_ASCII));
    }

    private void expect(String message) {
        String received = nextMessage();
        if (!received.equals(message)) {
            boolean givesUp = !options.server() && received.equals(STOP);
            throw new ProgramException(
                    givesUp ? GIVES_UP : "the peer speaks out of turn: it should say \"" + message + "\"");
        }
    }

    private void receiveText() {
        String[] received = new String[1];
        try (MemoryMap memory = MemoryMap.allocate(device, BUFFER_BYTES, Access.PCI_READ_WRITE);
                ComchConsumer consumer = peer.consumer(engine, memory)
                        .tasks(TASKS)
                        .repost(false)
                        .buffers(1, BUFFER_BYTES)
                        .onReceive((receiver, buffer, producer, immediate) -> received[0] = string(buffer.data()))
                        .start()) {
            patience.await("a text for consumer " + consumer.id(), () -> received[0] != null);
        }
        print(received[0]);
    }

    private void sendText() {
        byte[] text = options.text();
        patience.await("a consumer of the peer", () -> remoteConsumer != 0);
        try (MemoryMap memory = MemoryMap.allocate(device, text.length, Access.PCI_READ_WRITE);
                ComchProducer producer = peer.producer(engine).tasks(TASKS).start()) {
            Buffer buffer = producer.acquire(memory, 0, text.length);
            buffer.segment().copyFrom(MemorySegment.ofArray(text));
            patience.await(
                    "a receive of the peer's consumer",
                    () -> producer.trySend(buffer, remoteConsumer).accepted());
            patience.await("the text to be sent", () -> producer.inFlight() == 0);
        }
    }

    @Override
    void giveUp() {
        if (options.server() && peer.isOpen()) {
            try {
                peer.trySend(STOP.getBytes(StandardCharsets.US_ASCII));
            } catch (DocaException e) {
                // the connection has ended meanwhile: there is nobody to tell
            }
        }
    }
}
