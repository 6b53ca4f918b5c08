package io.github.comch4j.internal.call;

import static io.github.comch4j.internal.call.DocaFunction.present;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** Calls of MsgQ ({@code doca_comch_msgq.h}), and of producers and consumers on the DPA. */
public final class MsgqCalls {
    private MsgqCalls() {}

    /** {@code doca_comch_msgq_create}. */
    public static MemorySegment create(MemorySegment device, String action) {
        return present("doca_comch_msgq_create").pointer(action, doca_h.doca_comch_msgq_create(device, Calls.out()));
    }

    /** {@code doca_comch_msgq_destroy}. */
    public static void destroy(MemorySegment queue, String action) {
        present("doca_comch_msgq_destroy").check(action, doca_h.doca_comch_msgq_destroy(queue));
    }

    /** {@code doca_comch_msgq_set_dpa_consumer}. */
    public static void setDpaConsumer(MemorySegment queue, MemorySegment dpa, String action) {
        present("doca_comch_msgq_set_dpa_consumer").check(action, doca_h.doca_comch_msgq_set_dpa_consumer(queue, dpa));
    }

    /** {@code doca_comch_msgq_set_dpa_producer}. */
    public static void setDpaProducer(MemorySegment queue, MemorySegment dpa, String action) {
        present("doca_comch_msgq_set_dpa_producer").check(action, doca_h.doca_comch_msgq_set_dpa_producer(queue, dpa));
    }

    /** {@code doca_comch_msgq_set_max_num_consumers}. */
    public static void setMaxConsumers(MemorySegment queue, int consumers, String action) {
        present("doca_comch_msgq_set_max_num_consumers")
                .check(action, doca_h.doca_comch_msgq_set_max_num_consumers(queue, consumers));
    }

    /** {@code doca_comch_msgq_set_max_num_producers}. */
    public static void setMaxProducers(MemorySegment queue, int producers, String action) {
        present("doca_comch_msgq_set_max_num_producers")
                .check(action, doca_h.doca_comch_msgq_set_max_num_producers(queue, producers));
    }

    /** {@code doca_comch_msgq_start}. */
    public static void start(MemorySegment queue, String action) {
        present("doca_comch_msgq_start").check(action, doca_h.doca_comch_msgq_start(queue));
    }

    /** {@code doca_comch_msgq_stop}. */
    public static void stop(MemorySegment queue, String action) {
        present("doca_comch_msgq_stop").check(action, doca_h.doca_comch_msgq_stop(queue));
    }

    /** {@code doca_comch_msgq_consumer_create}. */
    public static MemorySegment createConsumer(MemorySegment queue, String action) {
        return present("doca_comch_msgq_consumer_create")
                .pointer(action, doca_h.doca_comch_msgq_consumer_create(queue, Calls.out()));
    }

    /** {@code doca_comch_msgq_producer_create}. */
    public static MemorySegment createProducer(MemorySegment queue, String action) {
        return present("doca_comch_msgq_producer_create")
                .pointer(action, doca_h.doca_comch_msgq_producer_create(queue, Calls.out()));
    }

    /** {@code doca_ctx_set_datapath_on_dpa}. */
    public static void setDatapath(MemorySegment context, MemorySegment dpa, String action) {
        present("doca_ctx_set_datapath_on_dpa").check(action, doca_h.doca_ctx_set_datapath_on_dpa(context, dpa));
    }

    /** {@code doca_comch_consumer_set_completion}. */
    public static void setCompletion(MemorySegment consumer, MemorySegment completion, int userData, String action) {
        present("doca_comch_consumer_set_completion")
                .check(action, doca_h.doca_comch_consumer_set_completion(consumer, completion, userData));
    }

    /** {@code doca_comch_consumer_set_dev_max_num_recv}. */
    public static void setReceives(MemorySegment consumer, int receives, String action) {
        present("doca_comch_consumer_set_dev_max_num_recv")
                .check(action, doca_h.doca_comch_consumer_set_dev_max_num_recv(consumer, receives));
    }

    /** {@code doca_comch_consumer_get_dpa_handle}. */
    public static long consumerHandle(MemorySegment consumer, String action) {
        return present("doca_comch_consumer_get_dpa_handle")
                .value(action, doca_h.doca_comch_consumer_get_dpa_handle(consumer, Calls.out()));
    }

    /** {@code doca_comch_producer_dpa_completion_attach}. */
    public static void attach(MemorySegment producer, MemorySegment completion, String action) {
        present("doca_comch_producer_dpa_completion_attach")
                .check(action, doca_h.doca_comch_producer_dpa_completion_attach(producer, completion));
    }

    /** {@code doca_comch_producer_set_dev_max_num_send}. */
    public static void setSends(MemorySegment producer, int sends, String action) {
        present("doca_comch_producer_set_dev_max_num_send")
                .check(action, doca_h.doca_comch_producer_set_dev_max_num_send(producer, sends));
    }

    /** {@code doca_comch_producer_get_dpa_handle}. */
    public static long producerHandle(MemorySegment producer, String action) {
        return present("doca_comch_producer_get_dpa_handle")
                .value(action, doca_h.doca_comch_producer_get_dpa_handle(producer, Calls.out()));
    }

    /** {@code doca_comch_consumer_completion_create}. */
    public static MemorySegment createCompletion(String action) {
        return present("doca_comch_consumer_completion_create")
                .pointer(action, doca_h.doca_comch_consumer_completion_create(Calls.out()));
    }

    /** {@code doca_comch_consumer_completion_destroy}. */
    public static void destroyCompletion(MemorySegment completion, String action) {
        present("doca_comch_consumer_completion_destroy")
                .check(action, doca_h.doca_comch_consumer_completion_destroy(completion));
    }

    /** {@code doca_comch_consumer_completion_set_max_num_consumers}. */
    public static void setConsumers(MemorySegment completion, int consumers, String action) {
        present("doca_comch_consumer_completion_set_max_num_consumers")
                .check(action, doca_h.doca_comch_consumer_completion_set_max_num_consumers(completion, consumers));
    }

    /** {@code doca_comch_consumer_completion_set_max_num_recv}. */
    public static void setCompletionReceives(MemorySegment completion, int receives, String action) {
        present("doca_comch_consumer_completion_set_max_num_recv")
                .check(action, doca_h.doca_comch_consumer_completion_set_max_num_recv(completion, receives));
    }

    /** {@code doca_comch_consumer_completion_set_imm_data_len}. */
    public static void setCompletionImmediate(MemorySegment completion, int bytes, String action) {
        present("doca_comch_consumer_completion_set_imm_data_len")
                .check(action, doca_h.doca_comch_consumer_completion_set_imm_data_len(completion, bytes));
    }

    /** {@code doca_comch_consumer_completion_set_dpa_thread}. */
    public static void setThread(MemorySegment completion, MemorySegment thread, String action) {
        present("doca_comch_consumer_completion_set_dpa_thread")
                .check(action, doca_h.doca_comch_consumer_completion_set_dpa_thread(completion, thread));
    }

    /** {@code doca_comch_consumer_completion_start}. */
    public static void startCompletion(MemorySegment completion, String action) {
        present("doca_comch_consumer_completion_start")
                .check(action, doca_h.doca_comch_consumer_completion_start(completion));
    }

    /** {@code doca_comch_consumer_completion_stop}. */
    public static void stopCompletion(MemorySegment completion, String action) {
        present("doca_comch_consumer_completion_stop")
                .check(action, doca_h.doca_comch_consumer_completion_stop(completion));
    }

    /** {@code doca_comch_consumer_completion_get_dpa_handle}. */
    public static long completionHandle(MemorySegment completion, String action) {
        return present("doca_comch_consumer_completion_get_dpa_handle")
                .value(action, doca_h.doca_comch_consumer_completion_get_dpa_handle(completion, Calls.out()));
    }
}
