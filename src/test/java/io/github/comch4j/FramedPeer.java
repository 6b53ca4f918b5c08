package io.github.comch4j;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.link.Framing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** What a program does that talks to a socket, or a channel of Netty, over a connection of its own. */
public final class FramedPeer {
    /** What has arrived: for data, the value is 0. */
    public record Message(int kind, long value, byte[] bytes) {}

    /** In order, without the headers. */
    public final List<Message> received = new ArrayList<>();

    private final Framing framing = new Framing();

    /** The handler of its messages. */
    public void arrived(ComchConnection from, MemorySegment message) {
        int kind = framing.arrived(message);
        byte[] bytes = message.asSlice(Framing.HEADER).toArray(ValueLayout.JAVA_BYTE);
        received.add(new Message(kind, kind == Framing.DATA ? 0 : Framing.value(message), bytes));
    }

    /** What has arrived of one kind. */
    public List<Message> received(int kind) {
        return received.stream().filter(message -> message.kind == kind).toList();
    }

    /** Sends a message of the program's, if there is room. */
    public boolean trySend(ComchConnection to, byte[] bytes) {
        boolean accepted = to.trySend(framed(Framing.DATA, bytes)).accepted();
        if (accepted) {
            framing.sent(Framing.DATA);
        }
        return accepted;
    }

    /** Sends a message of the program's, and waits for room. */
    public void send(ComchConnection to, byte[] bytes) {
        send(to, Framing.DATA, bytes);
    }

    /** Sends a message of another kind. */
    public void send(ComchConnection to, int kind, long value) {
        send(to, kind, Framing.number(value));
    }

    private void send(ComchConnection to, int kind, byte[] bytes) {
        to.send(framed(kind, bytes));
        framing.sent(kind);
    }

    /** As if one more message of the program's had been sent. */
    public void skip() {
        framing.sent(Framing.DATA);
    }

    private byte[] framed(int kind, byte[] bytes) {
        return ByteBuffer.allocate(Framing.HEADER + bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(framing.header(kind))
                .put(bytes)
                .array();
    }
}
