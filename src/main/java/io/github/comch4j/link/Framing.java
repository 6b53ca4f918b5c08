package io.github.comch4j.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header that sockets, and channels of Netty, put before each message of a connection, see
 * {@code docs/sockets.md}: what goes out is numbered, and what arrives is looked at. So a reader knows whether
 * something is missing, and whether what it has is all. Belongs to the thread of the connection.
 */
public final class Framing {
    /** Bytes before each message. */
    public static final int HEADER = Long.BYTES;

    /** The shortest setting of the longest message, the header included. */
    public static final int LEAST_MESSAGE = 64;

    /** What a message counts in a window beside its length: an object, and its place in a queue. */
    public static final int OVERHEAD = 64;

    /** A message of the program, of at least one byte. All other kinds have a number of eight bytes. */
    public static final int DATA = 0;

    /** How much the receiver of this may have sent since the connection began. */
    public static final int WINDOW = 1;

    /** Whoever sends this observes windows from now on. */
    public static final int OBSERVES = 2;

    /** The connection is about to be ended, and not in good order: an {@link EndReason}. */
    public static final int ENDING = 3;

    /** The sender of this sends no more messages of the program: how many there were. */
    public static final int FINISHED = 4;

    /** As {@link #FINISHED}, and the connection is about to be ended. */
    public static final int CLOSED = 5;

    /** The sender of this makes a consumer if asked to: how long a message may be, with its header; 0: it does not. */
    public static final int OFFERS = 6;

    /** Asks for that consumer, to which all goes that its sender sends after this. */
    public static final int MOVES = 7;

    /** What {@link #arrived} returns for a message that is not to be taken; {@link #fault} says why. */
    public static final int FAULT = -1;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int KIND_AT = Integer.SIZE;
    private static final int MARK_AT = KIND_AT + Byte.SIZE;
    private static final long MARK = 'c' | ('4' << 8) | ('j' << 16);
    private static final long NUMBER_BITS = 0xffff_ffffL;

    private int next; // to be sent
    private int expected; // to arrive
    private long dataSent;
    private long dataArrived;
    private boolean finished; // nothing of the program's may arrive any more
    private EndReason fault = EndReason.NOT_FRAMED;
    private String details = "";

    /** Of a connection that begins. */
    public Framing() {}

    /** What a message counts in a window, by the length that the program knows. */
    public static long cost(long length) {
        return length + OVERHEAD;
    }

    /** The header of the next message that is sent, as a number in little-endian order. */
    public long header(int kind) {
        return (next & NUMBER_BITS) | ((long) kind << KIND_AT) | (MARK << MARK_AT);
    }

    /** It was accepted. */
    public void sent(int kind) {
        next++;
        if (kind == DATA) {
            dataSent++;
        }
    }

    /** How many messages of the program were accepted. */
    public long dataSent() {
        return dataSent;
    }

    /** The bytes of a kind's number. */
    public static byte[] number(long value) {
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment.ofArray(bytes).set(LONG, 0, value);
        return bytes;
    }

    /** Looks at a message. Returns its kind, which may be one that this version does not know, or {@link #FAULT}. */
    public int arrived(MemorySegment message) {
        long length = message.byteSize();
        long header = length <= HEADER ? 0 : message.get(LONG, 0);
        if (header >>> MARK_AT != MARK) {
            return fault(EndReason.NOT_FRAMED, "");
        }
        if ((int) header != expected) {
            long missing = (header - expected) & NUMBER_BITS;
            return fault(EndReason.MISSING, missing > Integer.MAX_VALUE ? "" : ": " + missing + " of them");
        }
        expected++;
        int kind = (int) (header >>> KIND_AT) & 0xff;
        if (kind == DATA) {
            dataArrived++;
            return finished ? fault(EndReason.AFTER_END, "") : DATA;
        }
        if (length != HEADER + Long.BYTES) {
            return fault(EndReason.NOT_FRAMED, "");
        }
        if (kind == FINISHED || kind == CLOSED) {
            finished = true;
            if (value(message) != dataArrived) {
                return fault(EndReason.MISSING, ": there were " + value(message) + ", and " + dataArrived + " arrived");
            }
        }
        return kind;
    }

    private int fault(EndReason why, String more) {
        fault = why;
        details = more;
        return FAULT;
    }

    /** Why the last message that {@link #arrived} has looked at is not to be taken. */
    public EndReason fault() {
        return fault;
    }

    /** More about the fault, as the continuation of its text. */
    public String details() {
        return details;
    }

    /** The number of a message of any kind but {@link #DATA}. */
    public static long value(MemorySegment message) {
        return message.get(LONG, HEADER);
    }

    /** Whether a message is the first one of a connection with headers. */
    public static boolean isFirst(MemorySegment message) {
        return message.byteSize() > HEADER
                && (message.get(LONG, 0) & ~(0xffL << KIND_AT)) == MARK << MARK_AT
                && message.get(ValueLayout.JAVA_BYTE, Integer.BYTES) <= CLOSED
                && message.get(ValueLayout.JAVA_BYTE, Integer.BYTES) >= DATA;
    }
}
