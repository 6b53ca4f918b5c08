package io.github.comch4j.comch;

import io.github.comch4j.DocaError;
import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.ProducerCalls;
import io.github.comch4j.transfer.SendLimits;
import io.github.comch4j.transfer.SubmitTasks;

/**
 * The common part of producers that send buffers ({@link ComchProducer}) and producers that send slots
 * ({@link SlotProducer}): a queue and counts.
 */
public abstract sealed class FastPathProducer extends FastPathEndpoint permits ComchProducer, SlotProducer {
    FastPathProducer(Builder<?> settings, String what) {
        super(
                settings,
                ProducerCalls.get(),
                "producer",
                settings.create(ProducerCalls.get(), what, "", ProducerCalls::create),
                settings.connection.life());
    }

    @Override
    abstract SubmitTasks transfers();

    /** What the device takes of one send. */
    final SendLimits limits() {
        Device device = connection().device();
        Capabilities all = Capabilities.of(device);
        return new SendLimits(
                device.toString(),
                all.producer().map(Capabilities.FastPath::maxBufferListLength).orElse(1L),
                all.producer().map(Capabilities.FastPath::maxBufferSize).orElse(Long.MAX_VALUE),
                all.maxImmediateLength());
    }

    /**
     * Submits the sends in the queue for which consumers have buffers posted ({@code doca_task_submit}). Never waits.
     *
     * @return whether the queue is empty
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the producer is closed
     */
    public final boolean flush() {
        context.engine().checkOwner();
        context.checkUsable();
        return context.hasEnded() || transfers().queue.flush() == 0;
    }

    /**
     * Returns how many sends are in flight. Any thread may call this method.
     *
     * @return sends that are submitted or queued, and not completed
     */
    public final int inFlight() {
        return transfers().inFlight();
    }

    /**
     * Returns how many sends have succeeded. Sends arrive in order, but can complete in a different order: a small send
     * may complete while a large one ahead of it is still in flight. Any thread may call this method.
     *
     * @return sends since the producer was started
     */
    public final long sent() {
        return transfers().done.get();
    }

    /**
     * Returns the total length of the data of the sends that have succeeded, without immediate data. Any thread may
     * call this method.
     *
     * @return bytes
     */
    public final long sentBytes() {
        return transfers().doneBytes.get();
    }

    /**
     * Returns how many times a send was not accepted, or a slot could not be claimed, because there was no room. Any
     * thread may call this method.
     *
     * @return attempts since the producer was started; each attempt counts
     */
    public final long refused() {
        return transfers().backPressure.refusals();
    }

    /**
     * Returns how many times room ran out. One such episode lasts from a send that was not accepted to the next one
     * that was. Any thread may call this method.
     *
     * @return episodes since the producer was started
     */
    public final long backPressures() {
        return transfers().backPressure.episodes();
    }

    /**
     * Returns how many times sends in the queue found the consumer without a posted buffer ({@link DocaError#AGAIN})
     * and had to wait.
     *
     * @return attempts since the producer was started; each attempt counts
     * @throws WrongThreadException if another thread owns the engine
     * @throws IllegalStateException if the producer is closed
     */
    public final long retries() {
        context.engine().checkOwner();
        context.checkUsable();
        return transfers().retries();
    }
}
