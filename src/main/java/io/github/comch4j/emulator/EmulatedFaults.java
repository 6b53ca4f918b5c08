package io.github.comch4j.emulator;

import io.github.comch4j.DocaError;
import io.github.comch4j.internal.call.EmulatorCalls;
import io.github.comch4j.internal.life.Nanos;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Injects faults into the emulated BlueField ({@code doca_emu_set_faults}), for tests.
 *
 * {@snippet file="Pieces.java" region="faults"}
 *
 * <p>A program sees these faults as it would see real ones; each method describes where. They apply to all of this
 * process, and to no other, except for machines of tests ({@code io.github.comch4j.testing}): a thread that uses such a
 * machine sets the faults of that machine. You can also set faults from outside the process: the environment variable
 * {@code DOCA_EMU_FAULTS} accepts the result of {@link #toString()}. Counts begin at {@link #apply()}. Any thread may
 * call {@code apply} and {@code clear}. An object of this class belongs to one thread at a time.
 */
public final class EmulatedFaults {
    private final Map<String, String> settings = new LinkedHashMap<>();

    /** Creates an object without faults. */
    public EmulatedFaults() {}

    /**
     * Returns whether the libraries in use are an emulation.
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
     * Makes servers of this process refuse clients. The client's handler
     * {@link io.github.comch4j.comch.ComchClient.Builder#onRefused} runs, and
     * {@link io.github.comch4j.comch.ComchClient.Builder#connect connect} tries again.
     *
     * @param clients how many of the next clients, at least 1
     * @return this
     */
    public EmulatedFaults refuse(int clients) {
        return put("refuse", positive("refuse", clients));
    }

    /**
     * Makes servers of this process accept each client later.
     *
     * @param delay the delay, at least a millisecond; a fraction of a millisecond is cut off
     * @return this
     */
    public EmulatedFaults acceptDelay(Duration delay) {
        return put("accept_delay", positive("acceptDelay", Nanos.of(delay) / 1_000_000));
    }

    /**
     * Makes submits of messages and of producer sends return {@link DocaError#AGAIN}, as if there were no room.
     * {@code trySend} then returns {@code NO_RECEIVE}, {@code send} waits, and messages that {@code offer} has queued
     * stay queued.
     *
     * @param submits how many of the next submits, at least 1
     * @return this
     */
    public EmulatedFaults again(int submits) {
        return put("again", positive("again", submits));
    }

    /**
     * Makes an accepted message or producer send fail without being sent. The program sees this in
     * {@link io.github.comch4j.comch.ControlPathEndpoint.Builder#onSendFailed} or
     * {@link io.github.comch4j.comch.ComchProducer.Builder#onCompletion}. Later sends continue.
     *
     * @param nth the number of the send, counted from 1
     * @param error the error of the failure
     * @return this
     */
    public EmulatedFaults failSend(int nth, DocaError error) {
        return put("fail_send", positive("failSend", nth) + ":" + named(error));
    }

    /**
     * Makes an accepted message or producer send fail for good. The client, server or producer that sent it stops, and
     * all later sends in its queue fail, too. The connection breaks at both ends; for a server, all of its connections
     * break.
     *
     * @param nth the number of the send, counted from 1
     * @param error the error of the failure
     * @return this
     */
    public EmulatedFaults breakSend(int nth, DocaError error) {
        return put("break_send", positive("breakSend", nth) + ":" + named(error));
    }

    /**
     * Makes a posted receive of a consumer fail when something is sent to it. The program sees this in
     * {@link io.github.comch4j.comch.ComchConsumer.Builder#onReceiveFailed}. Nothing is lost: the payload goes into the
     * next posted buffer, or waits for one if there is none. The sender sees success.
     *
     * @param nth the number of the receive, counted from 1
     * @param error the error of the failure
     * @return this
     */
    public EmulatedFaults failReceive(int nth, DocaError error) {
        return put("fail_recv", positive("failReceive", nth) + ":" + named(error));
    }

    /**
     * Makes a posted receive of a consumer fail for good when something is sent to it. The consumer stops, everything
     * behind this receive fails, too, and the connection breaks at both ends.
     *
     * @param nth the number of the receive, counted from 1
     * @param error the error of the failure
     * @return this
     */
    public EmulatedFaults breakReceive(int nth, DocaError error) {
        return put("break_recv", positive("breakReceive", nth) + ":" + named(error));
    }

    /**
     * Makes a consumer's receive fail and loses what was sent to it. The program sees this in
     * {@link io.github.comch4j.comch.ComchConsumer.Builder#onReceiveFailed}. The sender sees success. No guide mentions
     * such a failure; use it to test the worst case.
     *
     * @param nth the number of the receive, counted from 1
     * @param error the error of the failure
     * @return this
     */
    public EmulatedFaults loseReceive(int nth, DocaError error) {
        return put("lose_recv", positive("loseReceive", nth) + ":" + named(error));
    }

    /**
     * Breaks the connection, as if the peer had died. The send throws
     * {@link io.github.comch4j.comch.ConnectionClosedException}. {@link io.github.comch4j.comch.ComchConnection}
     * describes the effects on both sides.
     *
     * @param nth the number of the message or producer send at which the connection breaks, counted from 1
     * @return this
     */
    public EmulatedFaults drop(int nth) {
        return put("drop", positive("drop", nth));
    }

    /**
     * Delays everything that this process sends.
     *
     * @param latency the delay, at least a microsecond; a fraction of a microsecond is cut off
     * @return this
     */
    public EmulatedFaults latency(Duration latency) {
        return put("latency", positive("latency", Nanos.of(latency) / 1000));
    }

    /**
     * Limits the speed of everything that this process sends to that of a bus.
     *
     * @param megabytesPerSecond the speed in 10⁶ bytes per second
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
     * Returns the faults in the format of {@code DOCA_EMU_FAULTS}.
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
            throw new IllegalArgumentException("a fault cannot have the error " + error);
        }
        return error.name();
    }
}
