package io.github.comch4j.dpa;

import io.github.comch4j.DocaException;
import io.github.comch4j.internal.call.ContextCalls;
import io.github.comch4j.internal.call.MsgqCalls;
import io.github.comch4j.internal.call.ProducerCalls;
import java.lang.foreign.MemorySegment;

/**
 * The sending end of a queue on the DPA ({@code doca_comch_producer}): an object with a handle for kernels.
 * {@link MessageQueue#dpaProducer} creates it.
 */
public final class DpaProducer extends DpaStartedObject {
    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(
            (producer, action) -> ContextCalls.stop(ProducerCalls.get().asContext(producer), action),
            ProducerCalls.get()::destroy);

    private final MessageQueue queue;
    private final DpaCompletion completion;

    DpaProducer(MessageQueue queue, DpaCompletion completion, int sends) {
        super(completion.dpa(), make(queue, completion, sends));
        this.queue = queue;
        this.completion = completion;
    }

    private static DpaHandle make(MessageQueue queue, DpaCompletion completion, int sends) {
        Dpa.checkPositive("sends", sends);
        DpaHandle made = queue.makeEnd(KIND, "producer", MsgqCalls::createProducer, completion);
        made.start((producer, action) -> {
            MemorySegment context = ProducerCalls.get().asContext(producer);
            MsgqCalls.setDatapath(context, completion.dpa().resource().handle(), action);
            MsgqCalls.setSends(producer, sends, action);
            MsgqCalls.attach(producer, completion.resource().handle(), action);
            ContextCalls.start(context, action);
        });
        return made;
    }

    /**
     * Returns the queue of this producer.
     *
     * @return the queue
     */
    public MessageQueue queue() {
        return queue;
    }

    /**
     * Returns the completion that reports the end of sends to kernels.
     *
     * @return the completion given at creation
     */
    public DpaCompletion completion() {
        return completion;
    }

    /**
     * Returns the id of this producer in the queue ({@code doca_comch_producer_get_id}).
     *
     * @return at least 1
     * @throws IllegalStateException if this producer is closed
     */
    public int id() {
        return resource().ask("asking " + this + " for its id", ProducerCalls.get()::id);
    }

    /**
     * Returns the handle by which kernels refer to this producer ({@code doca_comch_producer_get_dpa_handle}).
     *
     * @return the handle
     * @throws IllegalStateException if this producer is closed
     * @throws DocaException if this producer is stopped
     */
    public long handle() {
        return handle(MsgqCalls::producerHandle);
    }
}
