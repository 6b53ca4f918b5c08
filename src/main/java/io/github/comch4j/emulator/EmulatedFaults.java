package io.github.comch4j.emulator;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.EmulatorCalls;
import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Faults of the emulated BlueField on demand ({@code doca_emu_set_faults}), for tests.
 *
 * {@snippet file="Pieces.java" region="faults"}
 *
 * <p>A program meets them as it would meet the real thing; each method says where. They concern this process alone, all
 * of it, but for machines of tests ({@code io.github.comch4j.testing}): a thread that means such a machine sets the
 * faults of that one. The same can be had from outside: {@link #toString()} is what the environment variable
 * {@code DOCA_EMU_FAULTS} takes. Counts run from {@link #apply()}. {@code apply} and {@code clear} may be called from
 * any thread; an object of this class belongs to one thread at a time.
 */
public final class EmulatedFaults {
    private final Map<String, String> settings = new LinkedHashMap<>();

    /** No faults yet. */
    public EmulatedFaults() {}

    /**
     * Whether the libraries in use are an emulation.
     *
     * @return true if {@link #apply()} can work
     */
    public static boolean available() {
        return EmulatorCalls.present();
    }

    /**
     * Removes all faults.
     *
     * @throws UnsupportedOperationException with a real device
     */
    public static void clear() {
        EmulatorCalls.setFaults("");
    }

    /**
     * Servers of this process refuse clients: {@link io.github.comch4j.comch.ComchClient.Builder#onRefused} at the
     * client, and another attempt by {@link io.github.comch4j.comch.ComchClient.Builder#connect connect}.
     *
     * @param clients how many of those to come, at least 1
     * @return this
     */
    public EmulatedFaults refuse(int clients) {
        return put("refuse", positive("refuse", clients));
    }

    /**
     * Servers of this process let each client wait.
     *
     * @param delay how long; at least a millisecond, the rest is cut off
     * @return this
     */
    public EmulatedFaults acceptDelay(Duration delay) {
        return put("accept_delay", positive("acceptDelay", Nanos.of(delay) / 1_000_000));
    }

    /**
     * Submits of messages and of producer sends answer {@link DocaError#AGAIN}, as if there were no room:
     * {@code trySend} returns {@code NO_RECEIVE}, {@code send} waits, and what {@code offer} has queued stays queued.
     *
     * @param submits how many of those to come, at least 1
     * @return this
     */
    public EmulatedFaults again(int submits) {
        return put("again", positive("again", submits));
    }

    /**
     * A message or producer send that was accepted fails and is not sent:
     * {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onSendFailed} or
     * {@link io.github.comch4j.comch.ComchProducer.Builder#onCompletion}. What is sent behind it goes on.
     *
     * @param nth which one, counted from 1
     * @param error with what
     * @return this
     */
    public EmulatedFaults failSend(int nth, DocaError error) {
        return put("fail_send", positive("failSend", nth) + ":" + named(error));
    }

    /**
     * A message or producer send that was accepted fails for good: the client, server or producer that sent it stops by
     * itself, all that lies behind it fails, too, and the connection breaks at both ends, for a server all of its
     * connections.
     *
     * @param nth which one, counted from 1
     * @param error with what
     * @return this
     */
    public EmulatedFaults breakSend(int nth, DocaError error) {
        return put("break_send", positive("breakSend", nth) + ":" + named(error));
    }

    /**
     * A posted receive of a consumer fails when something is sent to it:
     * {@link io.github.comch4j.comch.ComchConsumer.Builder#onReceiveFailed}. Nothing is lost: the payload goes into the
     * next posted buffer, and waits for one if there is none. The sender sees success.
     *
     * @param nth which one, counted from 1
     * @param error with what
     * @return this
     */
    public EmulatedFaults failReceive(int nth, DocaError error) {
        return put("fail_recv", positive("failReceive", nth) + ":" + named(error));
    }

    /**
     * A posted receive of a consumer fails for good when something is sent to it: the consumer stops by itself, all
     * that lies behind fails, too, and the connection breaks at both ends.
     *
     * @param nth which one, counted from 1
     * @param error with what
     * @return this
     */
    public EmulatedFaults breakReceive(int nth, DocaError error) {
        return put("break_recv", positive("breakReceive", nth) + ":" + named(error));
    }

    /**
     * A consumer's receive fails, and what was sent to it is lost:
     * {@link io.github.comch4j.comch.ComchConsumer.Builder#onReceiveFailed}. The sender sees success. No guide knows of
     * such a failure; it is for programs that want the worst.
     *
     * @param nth which one, counted from 1
     * @param error with what
     * @return this
     */
    public EmulatedFaults loseReceive(int nth, DocaError error) {
        return put("lose_recv", positive("loseReceive", nth) + ":" + named(error));
    }

    /**
     * The connection breaks, as if the peer had died: the send throws
     * {@link io.github.comch4j.comch.ConnectionClosedException}, and {@link io.github.comch4j.comch.ComchConnection}
     * says what follows, on both sides.
     *
     * @param nth at which message or producer send, counted from 1
     * @return this
     */
    public EmulatedFaults drop(int nth) {
        return put("drop", positive("drop", nth));
    }

    /**
     * What this process sends arrives later.
     *
     * @param latency by how much; at least a microsecond, the rest is cut off
     * @return this
     */
    public EmulatedFaults latency(Duration latency) {
        return put("latency", positive("latency", Nanos.of(latency) / 1000));
    }

    /**
     * What this process sends arrives no faster than a bus of this speed would carry it.
     *
     * @param megabytesPerSecond 10⁶ bytes per second
     * @return this
     */
    public EmulatedFaults bandwidth(int megabytesPerSecond) {
        return put("bandwidth", positive("bandwidth", megabytesPerSecond));
    }

    /**
     * Replaces all faults of this process by these.
     *
     * @throws UnsupportedOperationException with a real device
     * @throws IllegalArgumentException if the emulated device refuses a value; nothing has changed then
     */
    public void apply() {
        EmulatorCalls.setFaults(toString());
    }

    /**
     * The faults as {@code DOCA_EMU_FAULTS} takes them.
     *
     * @return a list {@code key=value,…}
     */
    @Override
    public String toString() {
        return settings.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(","));
    }

    private EmulatedFaults put(String key, String value) {
        settings.put(key, value);
        return this;
    }

    private static String positive(String what, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " " + value + " is less than 1");
        }
        return Long.toString(value);
    }

    private static String named(DocaError error) {
        if (error == DocaError.SUCCESS || error == DocaError.UNRECOGNIZED) {
            throw new IllegalArgumentException("a failure with " + error);
        }
        return error.name();
    }
}
