package io.github.comch4j.emulator;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.Experimental;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.call.DpaCalls;
import io.github.comch4j.internal.call.KernelCalls;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The functions that a kernel in Java can call. These are the functions of DOCA's headers for programs on the DPA,
 * except for those that leave a kernel by a jump; {@link KernelEnd} replaces those.
 *
 * <p>A context is valid only in the kernel that received it, on its thread, while the kernel runs; otherwise its
 * methods throw {@link IllegalStateException}. The context belongs to the execution unit: operations per message
 * allocate nothing.
 *
 * <p><b>Objects are handles</b>: the numbers that the objects of the host's side return. The host's program passes the
 * handles that a kernel needs in memory of the DPA or, for a kernel in Java, in fields. A call with an invalid handle
 * does nothing and returns 0, false or null. A handle is invalid if it belongs to no object, to an object that has
 * ended, or to another DPA. This and any other misuse becomes the DPA's last error.
 */
@Experimental("names and defaults may change until other projects have used it")
public final class KernelContext {
    /** Sends an operation and all operations before it at once ({@code DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH}). */
    public static final int FLUSH = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH();
    /**
     * Adds no element to the completion for an operation that succeeds
     * ({@code DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS}).
     */
    public static final int OPTIMIZE_REPORTS = dpa_h.DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS();

    private static final int MAX_IMMEDIATE = 96;

    private static final ThreadLocal<KernelContext> OF_THREAD = ThreadLocal.withInitial(KernelContext::new);
    private static final AtomicInteger UNITS = new AtomicInteger();

    private final MemorySegment result = Arena.ofAuto().allocate(JAVA_LONG); // what calls return by a pointer
    private final MemorySegment received = Arena.ofAuto().allocate(MAX_IMMEDIATE);
    private final MemorySegment outgoing = Arena.ofAuto().allocate(MAX_IMMEDIATE);
    private final MemorySegment[] receivedOf = new MemorySegment[MAX_IMMEDIATE + 1]; // by length
    private final KernelMemory memory = new KernelMemory(this);

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
            throw new IllegalStateException(
                    "only the kernel that received a KernelContext can use it, and only while it runs");
        }
    }

    // ---- the kernel and its thread

    /**
     * Returns this thread's number within its launch or group ({@code doca_dpa_dev_thread_rank}).
     *
     * @return the number, from 0
     */
    public int rank() {
        check();
        return dpa_h.doca_dpa_dev_thread_rank();
    }

    /**
     * Returns how many threads the launch or group has ({@code doca_dpa_dev_num_threads}).
     *
     * @return the number; 1 if there is no group
     */
    public int numThreads() {
        check();
        return dpa_h.doca_dpa_dev_num_threads();
    }

    /**
     * Returns the thread's local storage ({@code doca_dpa_dev_thread_get_local_storage}).
     *
     * @return the address that the host's program has set, or 0
     */
    public long localStorage() {
        check();
        return dpa_h.doca_dpa_dev_thread_get_local_storage();
    }

    /** Lets other threads run ({@code doca_dpa_dev_yield}). Only launched kernels may call this. */
    public void yieldToOthers() {
        check();
        dpa_h.doca_dpa_dev_yield();
    }

    /**
     * Selects the DPA to whose objects later calls refer ({@code doca_dpa_dev_device_set}). Call it before you use
     * objects of an extended DPA.
     *
     * @param dpa the handle of a DPA
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
     * Reads the oldest unread message ({@code doca_dpa_dev_comch_consumer_get_completion}, {@code _imm},
     * {@code _producer_id}). {@link #immediate} and {@link #producerId} refer to this message until the next poll.
     *
     * @param completion the handle of a consumers' completion
     * @return whether there was a message
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
     * Returns the immediate data of the message that was read last, as a copy in memory that the next poll overwrites.
     *
     * @return as many bytes as the message has; empty if nothing was read
     */
    public MemorySegment immediate() {
        check();
        return immediate;
    }

    /**
     * Returns the sender of the message that was read last.
     *
     * @return the producer's id; 0 if nothing was read
     */
    public int producerId() {
        check();
        return producerId;
    }

    /**
     * Returns which operation has ended ({@code doca_dpa_dev_completion_element_get_wqe_counter}). The emulated device
     * counts the elements of a completion, from 0.
     *
     * @return an unsigned number of 32 bits
     */
    public int completionCounter() {
        check();
        return dpa_h.doca_dpa_dev_completion_element_get_wqe_counter(element);
    }

    /**
     * Returns when the operation has ended ({@code doca_dpa_dev_completion_element_get_timestamp}), by a clock of the
     * device that runs at its own speed.
     *
     * @return ticks
     */
    public long completionTime() {
        check();
        return dpa_h.doca_dpa_dev_completion_element_get_timestamp(element);
    }

    /**
     * Frees places in the completion ({@code doca_dpa_dev_comch_consumer_completion_ack}).
     *
     * @param completion the handle of a consumers' completion
     * @param messages how many of the messages that were read
     */
    public void acknowledgeConsumer(long completion, long messages) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_completion_ack(completion, messages);
    }

    /**
     * Makes room for messages ({@code doca_dpa_dev_comch_consumer_ack}).
     *
     * @param consumer the handle of a consumer
     * @param messages how many more messages it can receive; in total at most the size of its queue
     */
    public void postReceives(long consumer, int messages) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_ack(consumer, messages);
    }

    /**
     * Requests that the next message, or one that is still unread, starts the thread
     * ({@code doca_dpa_dev_comch_consumer_completion_request_notification}).
     *
     * @param completion the handle of a consumers' completion
     */
    public void requestConsumerNotification(long completion) {
        check();
        dpa_h.doca_dpa_dev_comch_consumer_completion_request_notification(completion);
    }

    /**
     * Returns whether a consumer has no room for a message ({@code doca_dpa_dev_comch_producer_is_consumer_empty}).
     * Call it before each send: a send to a consumer without room is misuse.
     *
     * @param producer the handle of a producer
     * @param consumerId the consumer of the next send
     * @return true if there is no room, or no such consumer
     */
    public boolean isConsumerEmpty(long producer, int consumerId) {
        check();
        return dpa_h.doca_dpa_dev_comch_producer_is_consumer_empty(producer, consumerId) != 0;
    }

    /**
     * Sends immediate data ({@code doca_dpa_dev_comch_producer_post_send_imm_only}).
     *
     * @param producer the handle of a producer
     * @param consumerId the consumer to send to
     * @param data 1 to 96 bytes, native or on the heap; can be overwritten afterwards
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
     * @param consumerId the consumer to send to
     * @param copy the source and the target of the copy
     * @param data 1 to 96 bytes, native or on the heap; can be overwritten afterwards
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
            throw new IllegalArgumentException(
                    "a message takes at most " + MAX_IMMEDIATE + " bytes of immediate data, not " + length);
        }
        MemorySegment.copy(data, 0, outgoing, 0, length);
        return (int) length;
    }

    // ---- completions of operations

    /**
     * Reads the oldest unread element ({@code doca_dpa_dev_get_completion}). {@link #completionType},
     * {@link #completionUserData}, {@link #completionImmediate}, {@link #completionCounter} and {@link #completionTime}
     * refer to this element until the next one is read.
     *
     * @param completion the handle of a completion
     * @return whether there was an element
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
     * Returns the type of the element that was read last ({@code doca_dpa_dev_get_completion_type}).
     *
     * @return the type
     */
    public CompletionType completionType() {
        check();
        return CompletionType.of(dpa_h.doca_dpa_dev_get_completion_type(element));
    }

    /**
     * Returns the number that belongs to the queue of the operation ({@code doca_dpa_dev_get_completion_user_data}).
     *
     * @return a number of 24 bits
     */
    public int completionUserData() {
        check();
        return dpa_h.doca_dpa_dev_get_completion_user_data(element);
    }

    /**
     * Returns the immediate data of the received message ({@code doca_dpa_dev_get_completion_immediate}).
     *
     * @return a number of 32 bits
     */
    public int completionImmediate() {
        check();
        return dpa_h.doca_dpa_dev_get_completion_immediate(element);
    }

    /**
     * Frees places in the completion ({@code doca_dpa_dev_completion_ack}).
     *
     * @param completion the handle of a completion
     * @param elements how many of the elements that were read
     */
    public void acknowledgeCompletion(long completion, long elements) {
        check();
        dpa_h.doca_dpa_dev_completion_ack(completion, elements);
    }

    /**
     * Requests that the next element, or one that is still unread, starts the thread
     * ({@code doca_dpa_dev_completion_request_notification}).
     *
     * @param completion the handle of a completion
     */
    public void requestCompletionNotification(long completion) {
        check();
        dpa_h.doca_dpa_dev_completion_request_notification(completion);
    }

    // ---- memory

    /**
     * Returns the functions for memory of the DPA, of maps and of buffers, for copies, and for hash tables.
     *
     * @return an object that is valid as long as this context
     */
    public KernelMemory memory() {
        check();
        return memory;
    }

    // ---- sync events

    /**
     * Returns the value of a sync event ({@code doca_dpa_dev_sync_event_get}).
     *
     * @param event the handle of a sync event
     * @return its value
     */
    public long eventValue(long event) {
        check();
        result.set(JAVA_LONG, 0, 0);
        dpa_h.doca_dpa_dev_sync_event_get(event, result);
        return result.get(JAVA_LONG, 0);
    }

    /**
     * Adds to the value of a sync event ({@code doca_dpa_dev_sync_event_update_add}).
     *
     * @param event the handle of a sync event
     * @param value the number to add
     */
    public void addToEvent(long event, long value) {
        check();
        dpa_h.doca_dpa_dev_sync_event_update_add(event, value);
    }

    /**
     * Sets the value of a sync event ({@code doca_dpa_dev_sync_event_update_set}).
     *
     * @param event the handle of a sync event
     * @param value the new value
     */
    public void setEvent(long event, long value) {
        check();
        dpa_h.doca_dpa_dev_sync_event_update_set(event, value);
    }

    /**
     * Waits until the value of a sync event is greater than a number ({@code doca_dpa_dev_sync_event_wait_gt}).
     *
     * @param event the handle of a sync event
     * @param value the number, unsigned
     * @param mask the bits of the event's value that are compared
     */
    public void awaitEventGreater(long event, long value, long mask) {
        check();
        dpa_h.doca_dpa_dev_sync_event_wait_gt(event, value, mask);
    }

    /**
     * Posts a wait until the value of a sync event is greater than a number
     * ({@code doca_dpa_dev_sync_event_post_wait_gt}). Operations posted later to the same queue wait for it. The
     * completion of the queue reports the end of the wait, and so starts the completion's thread.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value the number, 0 to 254; the event's value must be in this range, too
     */
    public void postAwaitEventGreater(long operations, long event, long value) {
        check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_gt(operations, event, value);
    }

    /**
     * Posts a wait until the value of a sync event differs from a number
     * ({@code doca_dpa_dev_sync_event_post_wait_ne}), as {@link #postAwaitEventGreater} does.
     *
     * @param operations the handle of asynchronous operations
     * @param event the handle of a sync event
     * @param value the number
     */
    public void postAwaitEventUnequal(long operations, long event, long value) {
        check();
        dpa_h.doca_dpa_dev_sync_event_post_wait_ne(operations, event, value);
    }

    // ---- logs and traces

    /**
     * Writes to the DPA's log, if the log level permits it ({@code doca_dpa_dev_log}). Allocates memory.
     *
     * @param level the severity, not {@link Level#OFF}; {@link Level#TRACE} and {@link Level#ALL} mean
     *     {@link Level#DEBUG}
     * @param text written unchanged, at most 511 bytes of it
     */
    public void log(Level level, String text) {
        int code = DpaCalls.code(level);
        Objects.requireNonNull(text);
        check();
        KernelCalls.log(code, text);
    }

    /**
     * Writes five numbers to the DPA's trace ({@code doca_dpa_dev_trace}).
     *
     * @param first the first number
     * @param second the second number
     * @param third the third number
     * @param fourth the fourth number
     * @param fifth the fifth number
     */
    public void trace(long first, long second, long third, long fourth, long fifth) {
        check();
        dpa_h.doca_dpa_dev_trace(first, second, third, fourth, fifth);
    }

    /** Writes out all traces so far ({@code doca_dpa_dev_trace_flush}). */
    public void flushTrace() {
        check();
        dpa_h.doca_dpa_dev_trace_flush();
    }
}
