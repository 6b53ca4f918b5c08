package io.github.comch4j.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.rpc.RpcException.Delivery;
import io.github.comch4j.rpc.RpcException.Kind;
import java.util.Arrays;

/**
 * A failed call in a frame: the kind is its value; the body is a text, and bytes of the application's after it. The
 * extra number has the application's code in its upper half; in the lower one how long the text is, by 24 bits, and in
 * its lowest byte how far the request has come.
 */
final class FailureFrame {
    /** The value of no failure. */
    static final int NONE = -1;

    private static final int REFUSED = 1;
    private static final int HANDLED = 2;
    private static final int TEXT_BITS = 24;

    private FailureFrame() {}

    static long extra(Delivery delivery, int code, int textLength) {
        return (long) code << 32 | (long) textLength << 8 | (delivery == Delivery.HANDLED ? HANDLED : REFUSED);
    }

    static boolean isRefused(long extra) {
        return (byte) extra == REFUSED;
    }

    /** What a handler has thrown, as the body of a frame. */
    static byte[] body(byte[] text, byte[] detail) {
        byte[] body = Arrays.copyOf(text, text.length + detail.length);
        System.arraycopy(detail, 0, body, text.length, detail.length);
        return body;
    }

    /** A text, not longer than a frame can tell. */
    static byte[] text(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        return bytes.length < 1 << TEXT_BITS ? bytes : Arrays.copyOf(bytes, (1 << TEXT_BITS) - 1);
    }

    static RpcException read(int value, long extra, byte[] body) {
        Kind kind = Kind.of(value);
        int text = Math.min((int) extra >>> 8, body.length);
        String message = new String(body, 0, text, UTF_8);
        Delivery delivery = delivery((byte) extra);
        return kind == Kind.FAILED
                ? RpcException.told(
                        delivery, (int) (extra >>> 32), message, Arrays.copyOfRange(body, text, body.length))
                : new RpcException(kind, delivery, message);
    }

    private static Delivery delivery(int told) {
        return switch (told) {
            case REFUSED -> Delivery.REFUSED;
            case HANDLED -> Delivery.HANDLED;
            default -> Delivery.SENT;
        };
    }
}
