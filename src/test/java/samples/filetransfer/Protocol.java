package samples.filetransfer;

import io.github.comch4j.comch.ConnectionCounters;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * What the two sides say to each other. Control messages are lines of text: a word, numbers, and for some a text at the
 * end; easy to read in a log, and independent of the byte order of either machine. Chunks on the fast path carry their
 * place in the file as immediate data.
 */
public final class Protocol {
    /** Changes with every change that the peer would not understand. */
    public static final int VERSION = 1;
    /** The largest chunk, bytes: the service has a buffer at least that large. */
    public static final long MAX_CHUNK = 64L << 20;

    private static final int MAX_TEXT = 500;

    private Protocol() {}

    /** A control message. */
    public sealed interface Message {}

    /** Client: a file is coming. */
    public record Hello(int version, long fileSize, long chunkSize, int depth, String greeting) implements Message {}

    /** Service: send it. */
    public record Welcome(String greeting) implements Message {}

    /** Client: that was all. */
    public record End(long chunks) implements Message {}

    /** Service: what it received, and what its end of the connection counted until then. */
    public record Result(long fileSize, long chunks, String sha256, ConnectionCounters counters) implements Message {}

    /** Client: whether that is what it sent. */
    public record Verdict(boolean correct) implements Message {}

    /** Service: it gives up, for this reason. */
    public record Failure(String reason) implements Message {}

    /** The immediate data of a chunk: which one it is, and where it belongs. */
    public record Chunk(long number, long offset) {
        public static final int BYTES = 16;
        private static final ValueLayout.OfLong LONG =
                ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

        public void writeTo(MemorySegment immediate) {
            immediate.set(LONG, 0, number);
            immediate.set(LONG, 8, offset);
        }

        public static Chunk readFrom(MemorySegment immediate) {
            return new Chunk(immediate.get(LONG, 0), immediate.get(LONG, 8));
        }
    }

    public static byte[] encode(Message message) {
        String line = switch (message) {
            case Hello m ->
                "hello %d %d %d %d %s".formatted(m.version, m.fileSize, m.chunkSize, m.depth, clean(m.greeting));
            case Welcome m -> "welcome " + clean(m.greeting);
            case End m -> "end " + m.chunks;
            case Result m ->
                "result %d %d %s %d %d %d %d"
                        .formatted(
                                m.fileSize,
                                m.chunks,
                                m.sha256,
                                m.counters.sentMessages(),
                                m.counters.sentBytes(),
                                m.counters.receivedMessages(),
                                m.counters.receivedBytes());
            case Verdict m -> "verdict " + m.correct;
            case Failure m -> "failure " + clean(m.reason);
        };
        return line.getBytes(StandardCharsets.UTF_8);
    }

    /** Throws {@link TransferException} for what is none of these messages. */
    public static Message decode(MemorySegment bytes) {
        String line = clean(StandardCharsets.UTF_8.decode(bytes.asByteBuffer()).toString());
        try {
            String[] word = line.split(" ", 2);
            String rest = word.length > 1 ? word[1] : "";
            return switch (word[0]) {
                case "hello" -> hello(rest.split(" ", 5));
                case "welcome" -> new Welcome(rest);
                case "end" -> new End(Long.parseLong(rest));
                case "result" -> result(rest.split(" "));
                case "verdict" -> new Verdict(Boolean.parseBoolean(rest));
                case "failure" -> new Failure(rest);
                default -> throw new IllegalArgumentException();
            };
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new TransferException("the peer does not speak this program's protocol: \"" + line + "\"", e);
        }
    }

    private static Hello hello(String[] w) {
        return new Hello(
                Integer.parseInt(w[0]), Long.parseLong(w[1]), Long.parseLong(w[2]), Integer.parseInt(w[3]), w[4]);
    }

    private static Result result(String[] w) {
        return new Result(
                Long.parseLong(w[0]),
                Long.parseLong(w[1]),
                w[2],
                new ConnectionCounters(
                        Long.parseLong(w[3]), Long.parseLong(w[4]), Long.parseLong(w[5]), Long.parseLong(w[6])));
    }

    /** Text that fits into a message, and that a terminal can be trusted with. */
    private static String clean(String text) {
        String printable = text.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= MAX_TEXT ? printable : printable.substring(0, MAX_TEXT) + "...";
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }

    static String describe(ConnectionCounters c) {
        return "%d messages of %d bytes sent, %d of %d bytes received"
                .formatted(c.sentMessages(), c.sentBytes(), c.receivedMessages(), c.receivedBytes());
    }
}
