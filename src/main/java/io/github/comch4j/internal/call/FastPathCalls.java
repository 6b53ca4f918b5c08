package io.github.comch4j.internal.call;

import io.github.comch4j.ffi.doca_h;
import java.lang.foreign.MemorySegment;

/** What producers and consumers have in common under different names. Methods return {@code doca_error_t} unless they say otherwise; none is hot. */
public abstract sealed class FastPathCalls {
    /** {@code doca_comch_producer_…}. */
    public static final FastPathCalls PRODUCER = new Producer();
    /** {@code doca_comch_consumer_…}. */
    public static final FastPathCalls CONSUMER = new Consumer();

    private final String prefix;
    private final String task;

    private FastPathCalls(String prefix, String task) {
        this.prefix = prefix;
        this.task = task;
    }

    /** The C name of a function of this family. */
    public final String function(String suffix) {
        return prefix + suffix;
    }

    /** The C name of a function of this family's only task. */
    public final String taskFunction(String suffix) {
        return prefix + task + suffix;
    }

    /** {@code …_as_ctx}; returns the view. */
    public abstract MemorySegment asContext(MemorySegment object);

    /** {@code …_destroy}. */
    public abstract int destroy(MemorySegment object);

    /** {@code …_task_…_set_conf}. */
    public abstract int configureTasks(MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks);

    /** {@code …_get_id}. */
    public abstract int getId(MemorySegment object, MemorySegment out);

    private static final class Producer extends FastPathCalls {
        Producer() {
            super("doca_comch_producer", "_task_send");
        }

        @Override
        public MemorySegment asContext(MemorySegment object) {
            return doca_h.doca_comch_producer_as_ctx(object);
        }

        @Override
        public int destroy(MemorySegment object) {
            return doca_h.doca_comch_producer_destroy(object);
        }

        @Override
        public int configureTasks(MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks) {
            return doca_h.doca_comch_producer_task_send_set_conf(object, completed, failed, tasks);
        }

        @Override
        public int getId(MemorySegment object, MemorySegment out) {
            return doca_h.doca_comch_producer_get_id(object, out);
        }
    }

    private static final class Consumer extends FastPathCalls {
        Consumer() {
            super("doca_comch_consumer", "_task_post_recv");
        }

        @Override
        public MemorySegment asContext(MemorySegment object) {
            return doca_h.doca_comch_consumer_as_ctx(object);
        }

        @Override
        public int destroy(MemorySegment object) {
            return doca_h.doca_comch_consumer_destroy(object);
        }

        @Override
        public int configureTasks(MemorySegment object, MemorySegment completed, MemorySegment failed, int tasks) {
            return doca_h.doca_comch_consumer_task_post_recv_set_conf(object, completed, failed, tasks);
        }

        @Override
        public int getId(MemorySegment object, MemorySegment out) {
            return doca_h.doca_comch_consumer_get_id(object, out);
        }
    }
}
