package io.github.comch4j.internal.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Map.entry;

import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.ffi.batch.batch_context;
import io.github.comch4j.ffi.batch.batch_copy_functions;
import io.github.comch4j.ffi.batch.batch_data;
import io.github.comch4j.ffi.batch.batch_engine;
import io.github.comch4j.ffi.batch.batch_entry;
import io.github.comch4j.ffi.batch.batch_functions;
import io.github.comch4j.ffi.batch.batch_h;
import io.github.comch4j.ffi.batch.batch_slot;
import io.github.comch4j.ffi.batch.batch_source;
import io.github.comch4j.ffi.batch.messages_connection;
import io.github.comch4j.ffi.batch.messages_endpoint;
import io.github.comch4j.ffi.batch.messages_functions;
import io.github.comch4j.internal.call.EndpointCalls;
import io.github.comch4j.internal.load.EmulatedLibraries;
import io.github.comch4j.internal.load.LibrarySettings;
import io.github.comch4j.internal.load.NativeAccess;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Platform;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Map;

/**
 * The batch library, {@code src/main/c/batch}: its functions, and where the fields of the structures are that it shares
 * with Java, as jextract found them in its headers. Loaded when the first engine is made; where the jar has none for
 * this platform, engines use upcalls.
 *
 * <p>None of its calls may be linked as critical: they call DOCA, which may call back, wait, or copy a message of any
 * length.
 */
final class Batch {
    static final String FILE = "libcomch4j_batch.so";

    // where the fields of struct batch_engine are
    static final int ENGINE_PE = (int) batch_engine.pe$offset();
    static final int ENGINE_RING = (int) batch_engine.ring$offset();
    static final int ENGINE_ROW = (int) batch_engine.row$offset();
    static final int ENGINE_RING_MASK = (int) batch_engine.ring_mask$offset();
    /** How many messages are in the two inboxes, 16 bits each. */
    static final int ENGINE_MESSAGES = together(batch_engine.messages$offset(), batch_engine.long_messages$offset(), 2);
    /** The ring's tail, and in the upper half {@link #ENGINE_MESSAGES}. */
    static final int ENGINE_TAIL = together(batch_engine.tail$offset(), ENGINE_MESSAGES, 4);

    static final int ENGINE_QUEUED = (int) batch_engine.queued$offset();
    static final int ENGINE_OTHERS = (int) batch_engine.others$offset();
    static final int ENGINE_STOP = (int) batch_engine.stop$offset();
    static final int ENGINE_CONTEXTS = (int) batch_engine.contexts$offset();
    static final int ENGINE_FREED = (int) batch_engine.freed$offset();
    static final int ENGINE_INBOX = (int) batch_engine.inbox$offset();
    static final int ENGINE_LONG_INBOX = (int) batch_engine.long_inbox$offset();
    static final int ENGINE_SIZE = (int) batch_engine.sizeof();
    // of struct batch_context
    static final int CONTEXT_ENGINE = (int) batch_context.engine$offset();
    static final int CONTEXT_NEXT = (int) batch_context.next$offset();
    static final int CONTEXT_CTX = (int) batch_context.ctx$offset();
    static final int CONTEXT_SLOTS = (int) batch_context.slots$offset();
    static final int CONTEXT_DATA = (int) batch_context.data$offset();
    static final int CONTEXT_SOURCES = (int) batch_context.sources$offset();
    static final int CONTEXT_QUEUE = (int) batch_context.queue$offset();
    static final int CONTEXT_QUEUE_MASK = (int) batch_context.queue_mask$offset();
    static final int CONTEXT_QUEUE_HEAD = (int) batch_context.queue_head$offset();
    static final int CONTEXT_QUEUE_TAIL = (int) batch_context.queue_tail$offset();
    static final int CONTEXT_INDEX = (int) batch_context.index$offset();
    static final int CONTEXT_KIND = (int) batch_context.kind$offset();
    static final int CONTEXT_STALLS = (int) batch_context.stalls$offset();
    static final int CONTEXT_FREED = (int) batch_context.freed$offset();
    static final int CONTEXT_FREED_HEAD = (int) batch_context.freed_head$offset();
    static final int CONTEXT_FREED_TAIL = (int) batch_context.freed_tail$offset();
    static final int CONTEXT_NEXT_FREED = (int) batch_context.next_freed$offset();
    static final int CONTEXT_SIZE = (int) batch_context.sizeof();
    // of struct batch_slot
    static final int SLOT_TASK = (int) batch_slot.task$offset();
    static final int SLOT_BUF = (int) batch_slot.buf$offset();
    static final int SLOT_CHANGES = (int) batch_slot.changes$offset();
    static final int SLOT_CONSUMER = (int) batch_slot.consumer$offset();
    static final int SLOT_TYPED = (int) batch_slot.typed$offset();
    static final int SLOT_SHIFT = shift(batch_slot.sizeof());
    // of struct batch_data
    static final int DATA_DATA = (int) batch_data.data$offset();
    static final int DATA_LEN = (int) batch_data.data_len$offset();
    static final int DATA_IMM = (int) batch_data.imm$offset();
    static final int DATA_IMM_LEN = (int) batch_data.imm_len$offset();
    static final int DATA_SHIFT = shift(batch_data.sizeof());
    // of struct batch_source
    static final int SOURCE_BUF = (int) batch_source.buf$offset();
    static final int SOURCE_DATA = (int) batch_source.data$offset();
    static final int SOURCE_LEN = (int) batch_source.data_len$offset();
    static final int SOURCE_SHIFT = shift(batch_source.sizeof());
    // of struct batch_entry
    static final int ENTRY_DATA_LEN = (int) batch_entry.data_len$offset();
    static final int ENTRY_IMM = (int) batch_entry.imm$offset();
    static final int ENTRY_ORIGIN = (int) batch_entry.origin$offset();
    static final int ENTRY_WHAT = (int) batch_entry.what$offset();
    static final int ENTRY_SHIFT = shift(batch_entry.sizeof());
    // of struct messages_endpoint
    static final int ENDPOINT_SERVER = (int) messages_endpoint.server$offset();
    static final int ENDPOINT_CLIENT = (int) messages_endpoint.client$offset();
    static final int ENDPOINT_USER_DATA = (int) messages_endpoint.user_data$offset();
    static final int ENDPOINT_ENDED = (int) messages_endpoint.ended$offset();
    static final int ENDPOINT_SIZE = (int) messages_endpoint.sizeof();
    // of struct messages_connection
    static final int CONNECTION_USER_DATA = (int) messages_connection.user_data$offset();
    static final int CONNECTION_ENDED = (int) messages_connection.ended$offset();
    static final int CONNECTION_SIZE = (int) messages_connection.sizeof();

    // enum batch_change
    static final int CHANGED_BUF = batch_h.BATCH_BUF();
    static final int CHANGED_CONSUMER = batch_h.BATCH_CONSUMER();
    static final int CHANGED_DATA = batch_h.BATCH_DATA();
    static final int CHANGED_IMMEDIATE = batch_h.BATCH_IMM();
    static final int CHANGED_SOURCE = batch_h.BATCH_SRC();
    static final int CHANGED_SOURCE_DATA = batch_h.BATCH_SRC_DATA();

    /** In what an entry says: where the context begins, of 16 bits. */
    static final int CONTEXT_SHIFT = batch_h.BATCH_CONTEXT_SHIFT();
    /** As {@link #CONTEXT_SHIFT}, for the status. */
    static final int STATUS_SHIFT = batch_h.BATCH_STATUS_SHIFT();
    /** Instead of a slot: the state changed. */
    static final int STATE = batch_h.BATCH_STATE();
    /** Instead of a slot: a message of the control path. */
    static final int MESSAGE = batch_h.BATCH_MESSAGE();
    /** Messages that an engine with a server or client has room for. */
    static final int MESSAGES = batch_h.BATCH_MESSAGES();
    /** How long such a message is at most, bytes. */
    static final int MESSAGE_LEN = batch_h.BATCH_MESSAGE_LEN();
    /** As {@link #MESSAGES}, of those that are longer. */
    static final int LONG_MESSAGES = batch_h.BATCH_LONG_MESSAGES();
    /** How long such a message is at most, bytes. */
    static final int LONG_LEN = batch_h.BATCH_LONG_LEN();
    /** Of a row of slots in a queue: from this bit on how many they are. */
    static final int ROW_SHIFT = batch_h.BATCH_ROW_SHIFT();
    /** With a slot in a queue: without data. */
    static final int EMPTY = batch_h.BATCH_EMPTY();
    /** With the slot that {@link #poll} returns. */
    static final int ALONE = batch_h.BATCH_ALONE();
    /** Changes of state that an engine has room for, of each context. */
    static final int STATES = batch_h.BATCH_STATES();
    /** So many tasks wait in a queue at most before they are submitted; a power of two. */
    static final int QUEUED = batch_h.BATCH_QUEUED();
    /** With what {@link #sendMessage} returns: it was the submit that was refused. */
    static final int MESSAGES_SUBMIT = batch_h.MESSAGES_SUBMIT();

    /** What each field of struct batch_functions is to be; batch.h says which functions may be missing. */
    private static final Map<Long, String> FUNCTIONS = Map.ofEntries(
            entry(batch_functions.progress$offset(), "doca_pe_progress"),
            entry(batch_functions.submit$offset(), "doca_task_submit"),
            entry(batch_functions.status$offset(), "doca_task_get_status"),
            entry(batch_functions.set_data$offset(), "doca_buf_set_data"),
            entry(batch_functions.reset_data_len$offset(), "doca_buf_reset_data_len"),
            entry(batch_functions.get_data_len$offset(), "doca_buf_get_data_len"),
            entry(batch_functions.send_set_buf$offset(), "doca_comch_producer_task_send_set_buf"),
            entry(batch_functions.send_set_consumer$offset(), "doca_comch_producer_task_send_set_consumer_id"),
            entry(batch_functions.send_set_imm$offset(), "doca_comch_producer_task_send_set_imm_data"),
            entry(batch_functions.receive_set_buf$offset(), "doca_comch_consumer_task_post_recv_set_buf"),
            entry(batch_functions.receive_producer$offset(), "doca_comch_consumer_task_post_recv_get_producer_id"),
            entry(batch_functions.receive_imm$offset(), "doca_comch_consumer_task_post_recv_get_imm_data"),
            entry(batch_functions.receive_imm_len$offset(), "doca_comch_consumer_task_post_recv_get_imm_data_len"),
            entry(batch_functions.submit_ex$offset(), "doca_task_submit_ex"),
            entry(batch_functions.flush_tasks$offset(), "doca_ctx_flush_tasks"));
    /** As {@link #FUNCTIONS}, of struct batch_copy_functions. */
    private static final Map<Long, String> COPY_FUNCTIONS = Map.of(
            batch_copy_functions.set_src$offset(), "doca_dma_task_memcpy_set_src",
            batch_copy_functions.set_dst$offset(), "doca_dma_task_memcpy_set_dst");
    /** As {@link #FUNCTIONS}, of struct messages_functions. */
    private static final Map<Long, String> MESSAGES_FUNCTIONS = Map.of(
            messages_functions.server_alloc$offset(), "doca_comch_server_task_send_alloc_init",
            messages_functions.client_alloc$offset(), "doca_comch_client_task_send_alloc_init",
            messages_functions.server_alloc_wide$offset(), "doca_cc_server_send_task_alloc_init",
            messages_functions.client_alloc_wide$offset(), "doca_cc_client_send_task_alloc_init",
            messages_functions.as_task$offset(), "doca_comch_task_send_as_task",
            messages_functions.set_user_data$offset(), "doca_task_set_user_data",
            messages_functions.submit$offset(), "doca_task_submit",
            messages_functions.free_task$offset(), "doca_task_free",
            messages_functions.connection_data$offset(), "doca_comch_connection_get_user_data");

    /**
     * The shared memory, by address. A segment that the compiler knows, so that an access costs what it does in C;
     * everything at the addresses that are used with it belongs to an object of this package that is alive, which the
     * owner check of its engine makes sure of.
     */
    private static final MemorySegment MEMORY = NativeAccess.allMemory();
    // without a check of the alignment, which the layout of the structures makes sure of
    private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle();
    private static final SymbolLookup LIBRARY = library();
    private static final MethodHandle PROGRESS =
            downcall("comch4j_batch_progress", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
    private static final MethodHandle SEND_MESSAGE = downcall(
            EndpointCalls.WIDE ? "comch4j_messages_send_wide" : "comch4j_messages_send",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG));

    /** Apart: who only sends messages calls none of these. */
    private static final class TaskFunctions {
        static final MethodHandle POLL =
                downcall("comch4j_batch_poll", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
        static final MethodHandle POLL_ROWS =
                downcall("comch4j_batch_poll_rows", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT));
        static final MethodHandle SUBMIT =
                downcall("comch4j_batch_submit", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
        static final MethodHandle FLUSH = downcall("comch4j_batch_flush", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));

        private TaskFunctions() {}
    }

    private static Object stubs; // the generation that the library knows; guarded by the class, as the following
    private static boolean fits; // it took them
    private static boolean knowsCopies; // it has the functions of DMA

    private Batch() {}

    /** Whether engines that are made now batch. */
    static boolean isOn() {
        return LibrarySettings.batch() && LIBRARY != null && knowsStubs();
    }

    /** The library keeps the stubs that it calls; there are others since there was no engine. */
    private static synchronized boolean knowsStubs() {
        Object present = Upcalls.generation();
        if (stubs != present) {
            stubs = present;
            fits = initialiseMessages(LIBRARY);
            if (!fits) {
                doNotFit();
            }
        }
        return fits;
    }

    static int progress(long engine, int limit, int spins) {
        try {
            return (int) PROGRESS.invokeExact(engine, limit, spins);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int poll(long consumer, int limit, int spins) {
        try {
            return (int) TaskFunctions.POLL.invokeExact(consumer, limit, spins);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int pollRows(long consumer, int limit, int spins) {
        try {
            return (int) TaskFunctions.POLL_ROWS.invokeExact(consumer, limit, spins);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int submit(long context, int slot) {
        try {
            return (int) TaskFunctions.SUBMIT.invokeExact(context, slot);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int flush(long context) {
        try {
            return (int) TaskFunctions.FLUSH.invokeExact(context);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static void cancel(long context, int status) {
        Symbols.call(function("comch4j_batch_cancel"), context, status, 0);
    }

    static int sendMessage(long endpoint, long connection, MemorySegment message, int length, long place) {
        try {
            return (int) SEND_MESSAGE.invokeExact(endpoint, connection, message, length, place);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** One of its functions. */
    static MemorySegment function(String name) {
        return LIBRARY == null ? MemorySegment.NULL : LIBRARY.find(name).orElseThrow();
    }

    static int getInt(long address) {
        return (int) INT.get(MEMORY, address);
    }

    static void setInt(long address, int value) {
        INT.set(MEMORY, address, value);
    }

    static long getLong(long address) {
        return (long) LONG.get(MEMORY, address);
    }

    static void setLong(long address, long value) {
        LONG.set(MEMORY, address, value);
    }

    /** Java's number of a {@code struct batch_context}. */
    static int contextIndex(long context) {
        return getInt(context + CONTEXT_INDEX) & 0xffff; // as one of 32 bits it takes the compiler less
    }

    static void setShort(long address, int value) {
        MEMORY.set(ValueLayout.JAVA_SHORT, address, (short) value);
    }

    static void setByte(long address, int value) {
        MEMORY.set(ValueLayout.JAVA_BYTE, address, (byte) value);
    }

    /** The batch library, initialised; null if there is none. */
    private static SymbolLookup library() {
        if (!NativeLibrary.isUsable()) {
            return null; // the first call of DOCA says why
        }
        SymbolLookup library;
        try {
            library = EmulatedLibraries.loadLibrary(Platform.current(), FILE);
        } catch (NativeLibraryException e) {
            Log.logger().log(System.Logger.Level.WARNING, "the fast path uses upcalls: {0}", e.getMessage());
            return null;
        }
        if (library == null) {
            Log.logger()
                    .log(
                            System.Logger.Level.INFO,
                            "the fast path uses upcalls: this jar has no {0} for this platform",
                            FILE);
            return null;
        }
        if (!initialise(library)) {
            doNotFit();
            return null;
        }
        return library;
    }

    private static void doNotFit() {
        Log.logger()
                .log(
                        System.Logger.Level.WARNING,
                        "the fast path uses upcalls: {0} does not match this jar or {1}",
                        FILE,
                        NativeLibrary.describe());
    }

    private static boolean initialise(SymbolLookup library) {
        try (Arena arena = Arena.ofConfined()) {
            long layout = BatchLayout.checksum();
            MemorySegment batch = table(arena, batch_functions.layout(), FUNCTIONS);
            batch_functions.layout(batch, layout);
            return initialise(library, "comch4j_batch_init", batch);
        }
    }

    /** Before the first context of DMA, whose library is loaded by then. */
    static synchronized void initialiseCopies() {
        if (knowsCopies) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copies = table(arena, batch_copy_functions.layout(), COPY_FUNCTIONS);
            batch_copy_functions.layout(copies, BatchLayout.checksum());
            knowsCopies = initialise(LIBRARY, "comch4j_batch_init_copies", copies);
        }
        if (!knowsCopies) {
            throw new AssertionError(FILE + " does not take the functions of DMA");
        }
    }

    private static boolean initialiseMessages(SymbolLookup library) {
        try (Arena arena = Arena.ofConfined()) {
            long layout = BatchLayout.checksum();
            MemorySegment messages = table(arena, messages_functions.layout(), MESSAGES_FUNCTIONS);
            messages_functions.layout(messages, layout);
            messages_functions.state_changed(messages, Upcalls.Stub.STATE_CHANGED.address());
            messages_functions.not_sent(messages, Upcalls.Stub.TASK_FAILED.address());
            messages_functions.received(messages, Upcalls.Stub.MESSAGE_OF.address());
            return initialise(library, "comch4j_messages_init", messages);
        }
    }

    /** A table with these functions, by offset; a function that the loaded libraries lack is NULL. */
    private static MemorySegment table(Arena arena, MemoryLayout form, Map<Long, String> functions) {
        MemorySegment table = arena.allocate(form);
        for (Map.Entry<Long, String> function : functions.entrySet()) {
            table.set(
                    ADDRESS,
                    function.getKey(),
                    Symbols.find(function.getValue()).orElse(MemorySegment.NULL));
        }
        return table;
    }

    private static boolean initialise(SymbolLookup library, String function, MemorySegment table) {
        return (int) Symbols.call(library.find(function).orElseThrow(), table.address(), 0, 0) != 0;
    }

    /** The logarithm of a size, by which an array's index is shifted. */
    private static int shift(long size) {
        if (Long.bitCount(size) != 1) {
            throw new AssertionError("the size of an array's elements is no power of two: " + size);
        }
        return Long.numberOfTrailingZeros(size);
    }

    /** Of two fields that are read at once: where the first one is. */
    private static int together(long first, long second, int distance) {
        if (second - first != distance) {
            throw new AssertionError("fields that are read at once are at " + first + " and " + second);
        }
        return (int) first;
    }

    private static MethodHandle downcall(String name, FunctionDescriptor descriptor) {
        return LIBRARY == null ? null : Symbols.downcall(LIBRARY.find(name).orElseThrow(), descriptor);
    }
}
