package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.Experimental;
import io.github.comch4j.dpa.DpaLogLevel;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.KernelCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * What a kernel in Java can call: the functions of DOCA's headers for programs on the DPA, but those that leave a
 * kernel by a jump, in whose place is the {@link KernelEnd}.
 *
 * <p>Valid in the kernel that it was handed to, on its thread, while it runs; else {@link IllegalStateException}. It is
 * the execution unit's: nothing is allocated by what is done per message.
 *
 * <p><b>Objects are handles</b>: the numbers that the objects of the host's side tell, of which the host's program
 * passes those that a kernel needs, in memory of the DPA or, as a kernel in Java can, in fields. A call with a handle
 * of nothing, of an object that has ended or of another dpa does nothing and answers 0, false or null; this and any
 * other misuse is the dpa's last error.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class KernelContext {
    /** An operation and all before it go out ({@code DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH}). */
    public static final int FLUSH = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH();
    /**
     * No element of the completion for an operation that succeeds ({@code DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS}).
     */
    public static final int OPTIMIZE_REPORTS = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS();

    private static final Function<DpaLogLevel, Integer> LOG_LEVEL = Internals.of(DpaLogLevel.class);

    private static final int MAX_IMMEDIATE = 96;

    private static final ThreadLocal<KernelContext> OF_THREAD = ThreadLocal.withInitial(KernelContext::new);
    private static final AtomicInteger UNITS = new AtomicInteger();

    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_LONG); // what calls return by a pointer
    private final MemorySegment received = Arena.ofAuto().allocate(MAX_IMMEDIATE);
    private final MemorySegment outgoing = Arena.ofAuto().allocate(MAX_IMMEDIATE);
    private final MemorySegment[] receivedOf = new MemorySegment[MAX_IMMEDIATE + 1]; // by length
    private final KernelMemory memory = new KernelMemory(this);
    private final KernelEvents events = new KernelEvents(this);

    private Thread runner; // while a kernel runs
    private MemorySegment immediate;
    private int producerId;
    private long element;

    private KernelContext() {
        for (int length = 0; length <= MAX_IMMEDIATE; length++) {
            receivedOf[length] = received.asSlice(0, length);
        }
        immediate = receivedOf[0];
        Thread.currentThread().setName("DPA execution unit " + UNITS.incrementAndGet());
    }

    /** For the kernel that begins on this thread. */
    static KernelContext begin() {
        KernelContext context = OF_THREAD.get();
        context.runner = Thread.currentThread();
        context.immediate = context.receivedOf[0];
        return context;
    }

    /** The kernel returns. */
    void end() {
        runner = null;
    }

    void check() {
        if (runner != Thread.currentThread()) {
            throw new IllegalStateException("only the kernel that it was handed to may use it, while it runs");
        }
    }

    // ---- the kernel and its thread

    /**
     * This thread's number among those of its launch or group ({@code doca_dpa_dev_thread_rank}).
     *
     * @return the number, from 0
     */
    public int rank() {
        check();
        return dpa_h.doca_dpa_dev_thread_rank();
    }

    /**
     * How many threads its launch or group has ({@code doca_dpa_dev_num_threads}).
     *
     * @return the number, 1 where there is no group
     */
    public int numThreads() {
        check();
        return dpa_h.doca_dpa_dev_num_threads();
    }

    /**
     * The thread's local storage ({@code doca_dpa_dev_thread_get_local_storage}).
     *
     * @return the address that the host's program has set, or 0
     */
    public long localStorage() {
        check();
        return dpa_h.doca_dpa_dev_thread_get_local_storage();
    }

    /** Lets other threads run ({@code doca_dpa_dev_yield}). In launched kernels only. */
    public void yieldToOthers() {
        check();
        dpa_h.doca_dpa_dev_yield();
    }

    /**
     * Says that objects of this dpa are meant from here on ({@code doca_dpa_dev_device_set}): to be called before those
     * of an extended dpa are used.
     *
     * @param dpa the handle of a dpa
     */
    public void useDevice(long dpa) {
        check();
        dpa_h.doca_dpa_dev_device_set(dpa);
    }

    /**
     * Wakes a thread ({@code doca_dpa_dev_thread_notify}).
     *
     * @param notification the handle of a notification completion
     */
    public void notifyThread(long notification) {
        check();
        dpa_h.doca_dpa_dev_thread_notify(notification);
    }

    // ---- messages

    /**
     * Reads the oldest message that was not read ({@code doca_dpa_dev_comch_consumer_get_completion}, {@code _imm},
     * {@code _producer_id}). {@link #immediate} and {@link #producerId} are of this message until the next poll.
     *
     * @param completion the handle of a consumers' completion
     * @return false if there is none
     */
    public boolean pollConsumer(long completion) {
        check();
        if (dpa_h.doca_dpa_dev_comch_consumer_get_completion(completion, result) == 0) {
            immediate = receivedOf[0];
            producerId = 0;
            return false;
        }
        long message = result.get(JAVA_LONG, 0);
        producerId = dpa_h.doca_dpa_dev_comch_consumer_get_completion_producer_id(message);
        immediate = receivedOf[KernelCalls.immediate(message, result, received)];
        return true;
    }

    /**
     * The immediate data of the message that was read last: a copy in memory that the next poll overwrites.
     *
     * @return as many bytes as the message has; none if nothing was read
     */
    public MemorySegment immediate() {
        check();
        return immediate;
    }

    /**
     * Who has sent the message that was read last.
     *
     * @return the producer's id; 0 if nothing was read
     */
    public int producerId() {
        check();
        return producerId;
    }

    /**
     * Which operation has ended ({@code doca_dpa_dev_completion_element_get_wqe_counter}). On the emulated device the
     * elements of a completion are counted, from 0.
     *
     * @return 32 bits, without a sign
     */
    public int completionCounter() {
        check();
        return dpa_h.doca_dpa_dev_completion_element_get_wqe_counter(element);
    }

    /**
     * When that was ({@code doca_dpa_dev_completion_element_get_timestamp}), by a clock of the device that runs at a
     * speed of its own.
     *
     * @return ticks
     */
    public long completionTime() {
        check();
        return dpa_h.doca_dpa_dev_completion_element_get_timestamp(element);
    }

    /**
     * Gives back places of the completion ({@code doca_dpa_dev_comch_consumer_completion_ack}).
     *
     * @param completion the handle of a consumers' completion
     * @param messages how many of those that were read
     */
    public void acknowledgeConsumer(long completion, long messages) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_completion_ack(completion, messages);
    }

    /**
     * Makes room for messages ({@code doca_dpa_dev_comch_consumer_ack}).
     *
     * @param consumer the handle of a consumer
     * @param messages how many more it may receive; all in all at most the places of its queue
     */
    public void postReceives(long consumer, int messages) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_ack(consumer, messages);
    }

    /**
     * Has the next message, or one that waits to be read, start the thread
     * ({@code doca_dpa_dev_comch_consumer_completion_request_notification}).
     *
     * @param completion the handle of a consumers' completion
     */
    public void requestConsumerNotification(long completion) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_completion_request_notification(completion);
    }

    /**
     * Whether a consumer has room for no message ({@code doca_dpa_dev_comch_producer_is_consumer_empty}). To be asked
     * before each send: one without room is misuse.
     *
     * @param producer the handle of a producer
     * @param consumerId to whom it would send
     * @return true also if there is no such consumer
     */
    public boolean isConsumerEmpty(long producer, int consumerId) {
        check();
        return dpa_h.doca_dpa_dev_comch_producer_is_consumer_empty(producer, consumerId) != 0;
    }

    /**
     * Sends immediate data ({@code doca_dpa_dev_comch_producer_post_send_imm_only}).
     *
     * @param producer the handle of a producer
     * @param consumerId to whom
     * @param data 1 to 96 bytes, native or of the heap; may be overwritten afterwards
     * @param flags {@link #FLUSH} and {@link #OPTIMIZE_REPORTS}, or 0
     * @throws IllegalArgumentException if the data are longer
     */
    public void sendImmediate(long producer, int consumerId, MemorySegment data, int flags) {
        Objects.requireNonNull(data);
        check();
        int length = takeOver(data);
        dpa_h.doca_dpa_dev_comch_producer_post_send_imm_only(producer, consumerId, outgoing, length, flags);
    }

    /**
     * Copies memory, and then sends immediate data ({@code doca_dpa_dev_comch_producer_dma_copy}).
     *
     * @param producer the handle of a producer
     * @param consumerId to whom
     * @param copy from where to where
     * @param data 1 to 96 bytes, native or of the heap; may be overwritten afterwards
     * @param flags {@link #FLUSH} and {@link #OPTIMIZE_REPORTS}, or 0
     * @throws IllegalArgumentException if the data are longer
     */
    public void copyAndSend(long producer, int consumerId, KernelCopy copy, MemorySegment data, int flags) {
        Objects.requireNonNull(data);
        check();
        int length = takeOver(data);
        dpa_h.doca_dpa_dev_comch_producer_dma_copy(
                producer,
                consumerId,
                copy.targetMap(),
                copy.target(),
                copy.sourceMap(),
                copy.source(),
                copy.bytes(),
                outgoing,
                length,
                flags);
    }

    private int takeOver(MemorySegment data) {
        long length = data.byteSize();
        if (length > MAX_IMMEDIATE) {
            throw new IllegalArgumentException(length + " bytes of immediate data are more than " + MAX_IMMEDIATE
                    + ", the most that a message has");
        }
        MemorySegment.copy(data, 0, outgoing, 0, length);
        return (int) length;
    }

    // ---- completions of operations

    /**
     * Reads the oldest element that was not read ({@code doca_dpa_dev_get_completion}). {@link #completionType},
     * {@link #completionUserData}, {@link #completionImmediate}, {@link #completionCounter} and {@link #completionTime}
     * are of this element until the next.
     *
     * @param completion the handle of a completion
     * @return false if there is none
     */
    public boolean pollCompletion(long completion) {
        check();
        boolean any = dpa_h.doca_dpa_dev_get_completion(completion, result) != 0;
        if (any) {
            element = result.get(JAVA_LONG, 0);
        }
        return any;
    }

    /**
     * What the element says that was read last ({@code doca_dpa_dev_get_completion_type}).
     *
     * @return its type
     */
    public CompletionType completionType() {
        check();
        return CompletionType.of(dpa_h.doca_dpa_dev_get_completion_type(element));
    }

    /**
     * The number that belongs to the queue of the operation ({@code doca_dpa_dev_get_completion_user_data}).
     *
     * @return 24 bits
     */
    public int completionUserData() {
        check();
        return dpa_h.doca_dpa_dev_get_completion_user_data(element);
    }

    /**
     * The immediate data of what was received ({@code doca_dpa_dev_get_completion_immediate}).
     *
     * @return 32 bits
     */
    public int completionImmediate() {
        check();
        return dpa_h.doca_dpa_dev_get_completion_immediate(element);
    }

    /**
     * Gives back places of the completion ({@code doca_dpa_dev_completion_ack}).
     *
     * @param completion the handle of a completion
     * @param elements how many of those that were read
     */
    public void acknowledgeCompletion(long completion, long elements) {
        check();
        dpa_h.doca_dpa_dev_completion_ack(completion, elements);
    }

    /**
     * Has the next element, or one that waits to be read, start the thread
     * ({@code doca_dpa_dev_completion_request_notification}).
     *
     * @param completion the handle of a completion
     */
    public void requestCompletionNotification(long completion) {
        check();
        dpa_h.doca_dpa_dev_completion_request_notification(completion);
    }

    // ---- memory, events

    /**
     * Memory of the DPA, of maps and of buffers, copies, and hash tables.
     *
     * @return valid as long as this
     */
    public KernelMemory memory() {
        check();
        return memory;
    }

    /**
     * Sync events.
     *
     * @return valid as long as this
     */
    public KernelEvents events() {
        check();
        return events;
    }

    // ---- logs and traces

    /**
     * Writes to the dpa's log, if its level lets it ({@code doca_dpa_dev_log}). Allocates.
     *
     * @param level how severe, not {@link DpaLogLevel#OFF}
     * @param text written as it is, at most 511 bytes of it
     */
    public void log(DpaLogLevel level, String text) {
        int code = LOG_LEVEL.apply(level);
        Objects.requireNonNull(text);
        check();
        KernelCalls.log(code, text);
    }

    /**
     * Writes five numbers to the dpa's trace ({@code doca_dpa_dev_trace}).
     *
     * @param first one of them
     * @param second one of them
     * @param third one of them
     * @param fourth one of them
     * @param fifth one of them
     */
    public void trace(long first, long second, long third, long fourth, long fifth) {
        check();
        dpa_h.doca_dpa_dev_trace(first, second, third, fourth, fifth);
    }

    /** Has what was traced written out ({@code doca_dpa_dev_trace_flush}). */
    public void flushTrace() {
        check();
        dpa_h.doca_dpa_dev_trace_flush();
    }
}
