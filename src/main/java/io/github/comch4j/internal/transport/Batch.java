package io.github.comch4j.internal.transport;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.load.EmulatedLibraries;
import io.github.comch4j.internal.load.NativeLibrary;
import io.github.comch4j.internal.load.Platform;
import io.github.comch4j.internal.load.Settings;
import io.github.comch4j.internal.load.Symbols;
import io.github.comch4j.internal.observe.Log;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The native helper, {@code src/main/c/batch}: its functions, and the layout of the memory that it shares with this side. Loaded
 * when the first engine is made; where the jar has none for this platform, engines use upcalls.
 *
 * <p>None of its calls may be linked as critical: they call DOCA, which may call back, wait, or copy a message of any length.
 */
final class Batch {
    static final String FILE = "libcomch4j_batch.so";
    private static final long VERSION = 3;

    // struct batch_engine
    static final int ENGINE_PE = 0;
    static final int ENGINE_RING = 8;
    static final int ENGINE_RING_MASK = 16;
    static final int ENGINE_TAIL = 20;
    static final int ENGINE_QUEUED = 24;
    static final int ENGINE_OTHERS = 28;
    static final int ENGINE_STOP = 32;
    static final int ENGINE_CONTEXTS = 40;
    static final int ENGINE_SIZE = 48;
    // struct batch_context
    static final int CONTEXT_ENGINE = 0;
    static final int CONTEXT_NEXT = 8;
    static final int CONTEXT_CTX = 16;
    static final int CONTEXT_SLOTS = 24;
    static final int CONTEXT_DATA = 32;
    static final int CONTEXT_QUEUE = 40;
    static final int CONTEXT_QUEUE_MASK = 48;
    static final int CONTEXT_QUEUE_HEAD = 52;
    static final int CONTEXT_QUEUE_TAIL = 56;
    static final int CONTEXT_INDEX = 60;
    static final int CONTEXT_RECEIVES = 62;
    static final int CONTEXT_STALLS = 64;
    static final int CONTEXT_SIZE = 72;
    // struct batch_slot
    static final int SLOT_TASK = 0;
    static final int SLOT_BUF = 8;
    static final int SLOT_CHANGES = 16;
    static final int SLOT_CONSUMER = 20;
    static final int SLOT_TYPED = 24;
    static final int SLOT_SHIFT = 5;
    // struct batch_data
    static final int DATA_DATA = 0;
    static final int DATA_LEN = 8;
    static final int DATA_SHIFT = 4;
    // enum batch_change
    static final int CHANGED_BUF = 1;
    static final int CHANGED_CONSUMER = 2;
    static final int CHANGED_DATA = 4;
    // struct batch_entry
    static final int ENTRY_DATA_LEN = 0;
    static final int ENTRY_IMM = 8;
    static final int ENTRY_PRODUCER = 16; // and the length of the immediate data in the upper half
    static final int ENTRY_WHAT = 24; // slot, and in the upper half context and status
    static final int ENTRY_SHIFT = 5;
    // struct messages_endpoint
    static final int ENDPOINT_SERVER = 0;
    static final int ENDPOINT_CLIENT = 8;
    static final int ENDPOINT_USER_DATA = 16;
    static final int ENDPOINT_ENDED = 24;
    static final int ENDPOINT_SIZE = 32;
    /** Instead of a slot: the state changed. */
    static final int STATE = -1;
    /** With a slot in a queue: without data. */
    static final int EMPTY = 1 << 31;
    /** Changes of state that an engine has room for, of each context. */
    static final int STATES = 4;
    /** So many sends wait in a queue at most before they are submitted. */
    static final int SENDS = 32;
    /** With what {@link #sendMessage} returns: it was the submit that was refused. */
    static final int MESSAGES_SUBMIT = 0x10000;

    /** In the order of struct batch_functions, behind its version; the last two may be missing. */
    private static final List<String> FUNCTIONS = List.of("doca_pe_progress", "doca_task_submit", "doca_task_get_status", "doca_buf_set_data",
            "doca_buf_reset_data_len", "doca_buf_get_data_len", "doca_comch_producer_task_send_set_buf", "doca_comch_producer_task_send_set_consumer_id",
            "doca_comch_consumer_task_post_recv_set_buf", "doca_comch_consumer_task_post_recv_get_producer_id",
            "doca_comch_consumer_task_post_recv_get_imm_data", "doca_comch_consumer_task_post_recv_get_imm_data_len", "doca_task_submit_ex",
            "doca_ctx_flush_tasks");
    /** In the order of struct messages_functions, behind its version and before the upcalls. */
    private static final List<String> MESSAGES_FUNCTIONS = List.of("doca_comch_server_task_send_alloc_init", "doca_comch_client_task_send_alloc_init",
            "doca_comch_task_send_as_task", "doca_task_set_user_data", "doca_task_submit", "doca_task_free", "doca_comch_connection_get_user_data");

    /**
     * The shared memory, by address. A segment that the compiler knows, so that an access costs what it does in C; everything at the addresses that are
     * used with it belongs to an object of this package that is alive, which the owner check of its engine makes sure of.
     */
    private static final MemorySegment MEMORY = allMemory();
    // without a check of the alignment, which the layout of the structures makes sure of
    private static final VarHandle INT = ValueLayout.JAVA_INT_UNALIGNED.varHandle().withInvokeExactBehavior();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG_UNALIGNED.varHandle().withInvokeExactBehavior();
    private static final SymbolLookup LIBRARY = library();
    private static final MethodHandle PROGRESS = downcall("comch4j_batch_progress", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle SUBMIT = downcall("comch4j_batch_submit", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT));
    private static final MethodHandle FLUSH = downcall("comch4j_batch_flush", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle CANCEL = downcall("comch4j_batch_cancel", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT));
    private static final MethodHandle SEND_MESSAGE = downcall("comch4j_messages_send",
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, ADDRESS, JAVA_INT, JAVA_LONG));

    private Batch() {
    }

    /** Whether engines that are made now batch. */
    static boolean isOn() {
        return !System.getProperty(Settings.BATCH_PROPERTY, "true").equals("false") && LIBRARY != null;
    }

    static int progress(long engine, int limit) {
        try {
            return (int) PROGRESS.invokeExact(engine, limit);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int submit(long context, int slot) {
        try {
            return (int) SUBMIT.invokeExact(context, slot);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int flush(long context) {
        try {
            return (int) FLUSH.invokeExact(context);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static void cancel(long context, int status) {
        try {
            CANCEL.invokeExact(context, status);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    static int sendMessage(long endpoint, long connection, MemorySegment message, int length, long userData) {
        try {
            return (int) SEND_MESSAGE.invokeExact(endpoint, connection, message, length, userData);
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    /** One of the callbacks. */
    static MemorySegment callback(String name) {
        return LIBRARY.find(name).orElseThrow();
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

    static void setShort(long address, int value) {
        MEMORY.set(ValueLayout.JAVA_SHORT, address, (short) value);
    }

    static void setByte(long address, int value) {
        MEMORY.set(ValueLayout.JAVA_BYTE, address, (byte) value);
    }

    /** The helper, initialised, or null. */
    private static SymbolLookup library() {
        NativeLibrary.load();
        SymbolLookup library;
        try {
            library = EmulatedLibraries.loadLibrary(Platform.current(), FILE);
        } catch (NativeLibraryException e) {
            Log.logger().log(System.Logger.Level.WARNING, "the fast path uses upcalls: {0}", e.getMessage());
            return null;
        }
        if (library == null) {
            Log.logger().log(System.Logger.Level.INFO, "the fast path uses upcalls: this jar has no {0} for this platform", FILE);
            return null;
        }
        if (!initialise(library)) {
            Log.logger().log(System.Logger.Level.WARNING, "the fast path uses upcalls: {0} and this jar, or {1}, do not go together", FILE,
                    NativeLibrary.describe());
            return null;
        }
        return library;
    }

    private static boolean initialise(SymbolLookup library) {
        return initialise(library, "comch4j_batch_init", FUNCTIONS)
                && initialise(library, "comch4j_messages_init", MESSAGES_FUNCTIONS, Upcalls.STATE_CHANGED, Upcalls.TASK_FAILED, Upcalls.BatchedMessage.STUB);
    }

    private static boolean initialise(SymbolLookup library, String function, List<String> functions, MemorySegment... upcalls) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment table = arena.allocate(JAVA_LONG, 1 + functions.size() + upcalls.length);
            int at = 0;
            table.setAtIndex(JAVA_LONG, at++, VERSION);
            for (String name : functions) {
                table.setAtIndex(JAVA_LONG, at++, Symbols.find(name).orElse(MemorySegment.NULL).address());
            }
            for (MemorySegment upcall : upcalls) {
                table.setAtIndex(JAVA_LONG, at++, upcall.address());
            }
            MethodHandle init = Symbols.downcall(library.find(function).orElseThrow(), FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
            return (int) init.invokeExact(table.address()) != 0;
        } catch (Throwable t) {
            throw Symbols.unexpected(t);
        }
    }

    private static MethodHandle downcall(String name, FunctionDescriptor descriptor) {
        return LIBRARY == null ? null : Symbols.downcall(LIBRARY.find(name).orElseThrow(), descriptor);
    }

    @SuppressWarnings("restricted")
    private static MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }
}
