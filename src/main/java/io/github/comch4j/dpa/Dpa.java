package io.github.comch4j.dpa;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.internal.access.Internals;
import io.github.comch4j.internal.call.DeviceCalls;
import io.github.comch4j.internal.call.DpaCalls;
import io.github.comch4j.internal.call.DpaRunCalls;
import io.github.comch4j.internal.call.MmapCalls;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.internal.life.OneUse;
import io.github.comch4j.internal.life.Resource;
import io.github.comch4j.internal.load.DocaAnswer;
import io.github.comch4j.transfer.CoreObjects;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The data-path accelerator of a device ({@code doca_dpa}), started, with a program. It runs the program's functions
 * and creates the objects that they need.
 *
 * <p>Any thread may use a DPA. While one thread creates, starts, stops or destroys an object of a DPA, other threads
 * wait for it, and it waits for their calls to end, including {@link #rpc}.
 */
// Longer than other classes: most of it is Javadoc, and all that is made on a DPA begins here.
public final class Dpa implements AutoCloseable {
    private static final DpaHandle.Kind KIND = new DpaHandle.Kind(DpaCalls::stop, DpaCalls::destroy);

    static {
        // for functions in Java: makes one of its name and of what makes its code
        Internals.open(Dpa.class, (Function<Dpa, BiFunction<String, Function<Arena, MemorySegment>, DpaFunction>>)
                dpa -> dpa::functionInJava);
    }

    private final Device device;
    private final @Nullable DpaApplication application;
    private final DpaHandle resource;
    private final Arena functions; // those in Java, until no execution unit is left

    private Dpa(Device device, @Nullable DpaApplication application, DpaHandle resource, Arena functions) {
        this.device = device;
        this.application = application;
        this.resource = resource;
        this.functions = functions;
    }

    /**
     * Returns whether a device can use a DPA ({@code doca_dpa_cap_is_supported}): either its own, as a physical
     * function has, or one that is {@linkplain #extend extended} to it.
     *
     * @param device an open device
     * @return whether it can; false if the libraries in use have no DPA
     * @throws IllegalStateException if the device is closed
     */
    public static boolean isSupported(Device device) {
        return DpaCalls.isSupported(DeviceCalls.infoOf(CoreObjects.of(device).handle()));
    }

    /**
     * Creates a builder for a DPA.
     *
     * @param device a device with a DPA of its own
     * @return the builder
     */
    public static Builder builder(Device device) {
        return new Builder(Objects.requireNonNull(device));
    }

    /**
     * Extends this DPA to another function of the same card ({@code doca_dpa_device_extend}), so that virtual functions
     * and subfunctions, which have no DPA of their own, can use it. The extended DPA has the same program. It closes
     * with this DPA, if not before.
     *
     * @param other another function's device
     * @return the extended DPA, started
     * @throws IllegalStateException if this DPA or the device is closed
     * @throws DocaException if DOCA refuses
     */
    public Dpa extend(Device other) {
        Handle otherHandle = CoreObjects.of(other);
        DpaHandle extended = DpaHandle.make(
                resource.lock(),
                Resource.Rank.BASE,
                KIND,
                "the DPA of " + other + " beside that of " + device,
                action -> DpaCalls.extend(resource.handle(), otherHandle.handle(), action),
                resource,
                otherHandle);
        return new Dpa(other, application, extended, functions);
    }

    /**
     * Calls a function on the DPA and waits for its result ({@code doca_dpa_rpc}). While the function runs, no object
     * of this DPA can be created or closed.
     *
     * @param function a function of the application
     * @param arguments its arguments: at most 16 integers of at most 64 bits
     * @return the function's result
     * @throws IllegalArgumentException if there are too many arguments
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses, or gives up waiting for the result
     */
    public long rpc(DpaFunction function, long... arguments) {
        checkArguments(function, arguments);
        return resource.ask(
                "calling " + function + " on " + this,
                (dpa, action) -> DpaRunCalls.call(dpa, function.addressFor(this), arguments, action));
    }

    static void checkArguments(DpaFunction function, long[] arguments) {
        Objects.requireNonNull(function);
        if (arguments.length > DpaRunCalls.ARGUMENTS) {
            throw new IllegalArgumentException(
                    function + " takes at most " + DpaRunCalls.ARGUMENTS + " arguments, not " + arguments.length);
        }
    }

    /**
     * Allocates memory on the DPA ({@code doca_dpa_mem_alloc}). The memory is not cleared.
     *
     * @param bytes its size, at least 1
     * @return the memory
     * @throws IllegalArgumentException if {@code bytes} is less than 1
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NO_MEMORY}
     */
    public DpaMemory allocate(long bytes) {
        return new DpaMemory(this, bytes);
    }

    /**
     * Creates a builder for a thread.
     *
     * @param kernel the kernel that the thread runs
     * @return the builder
     */
    public DpaThread.Builder thread(DpaFunction kernel) {
        return new DpaThread.Builder(this, Objects.requireNonNull(kernel));
    }

    /**
     * Creates a builder for a launch.
     *
     * @param kernel the kernel to run
     * @return the builder
     */
    public DpaLaunch.Builder launch(DpaFunction kernel) {
        return new DpaLaunch.Builder(this, Objects.requireNonNull(kernel));
    }

    /**
     * Creates a group of threads ({@code doca_dpa_thread_group_create}, {@code …_set_thread}, {@code …_start}).
     *
     * @param threads at least one started thread, in the order of their ranks
     * @return the group, started
     * @throws IllegalArgumentException if there is no thread
     * @throws IllegalStateException if the DPA or a thread is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaThreadGroup group(DpaThread... threads) {
        return new DpaThreadGroup(this, List.of(threads));
    }

    /**
     * Creates a completion ({@code doca_dpa_completion_create}, {@code doca_dpa_completion_start}).
     *
     * @param elements the minimum capacity for elements that no kernel has acknowledged, at least 1
     * @return the completion, started
     * @throws IllegalArgumentException if {@code elements} is less than 1
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaCompletion completion(int elements) {
        return new DpaCompletion(this, elements, null);
    }

    /**
     * Creates a completion as {@link #completion(int)} does, with a thread that each element wakes
     * ({@code doca_dpa_completion_set_thread}).
     *
     * @param elements the minimum capacity for elements that no kernel has acknowledged, at least 1
     * @param thread a started thread
     * @return the completion, started
     */
    public DpaCompletion completion(int elements, DpaThread thread) {
        return new DpaCompletion(this, elements, Objects.requireNonNull(thread));
    }

    /**
     * Creates a builder for a completion of consumers.
     *
     * @return the builder
     */
    public DpaConsumerCompletion.Builder consumerCompletion() {
        return new DpaConsumerCompletion.Builder(this);
    }

    /**
     * Creates an object by which kernels wake a thread ({@code doca_dpa_notification_completion_create},
     * {@code doca_dpa_notification_completion_start}).
     *
     * @param thread a started thread
     * @return the notification, started
     * @throws IllegalStateException if the DPA or the thread is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaNotification notification(DpaThread thread) {
        return new DpaNotification(this, thread);
    }

    /**
     * Creates a queue for asynchronous operations of kernels ({@code doca_dpa_async_ops_create}, {@code …_attach},
     * {@code …_start}).
     *
     * @param completion the completion that reports the end of operations to kernels
     * @param operations the minimum capacity for operations, at least 1
     * @param userData 24 bits that the elements of the completion carry
     * @return the queue, started
     * @throws IllegalArgumentException if a number is out of range
     * @throws IllegalStateException if the DPA or the completion is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaAsyncOps asyncOps(DpaCompletion completion, int operations, long userData) {
        return new DpaAsyncOps(this, completion, operations, userData);
    }

    /**
     * Creates a hash table for kernels ({@code doca_dpa_hash_table_create}).
     *
     * @param entries the number of entries that it holds, at least 1
     * @return the table
     * @throws IllegalArgumentException if {@code entries} is less than 1
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaHashTable hashTable(int entries) {
        return new DpaHashTable(this, entries);
    }

    /**
     * Creates a builder for a sync event.
     *
     * @return the builder
     */
    public SyncEvent.Builder syncEvent() {
        return new SyncEvent.Builder(this);
    }

    /**
     * Returns the fatal error that a program on the DPA has caused ({@code doca_dpa_peek_at_last_error}). The error
     * stays until this DPA is closed. The log of the SDK has the details.
     *
     * @return the error; null if there is none
     * @throws IllegalStateException if the DPA is closed
     */
    public @Nullable DocaException lastError() {
        return resource.ask("a program ran on " + this, (dpa, action) -> {
            DocaAnswer answer = DpaCalls.lastError(dpa);
            return answer.isSuccess() ? null : answer.refused(action);
        });
    }

    /**
     * Returns the sizes of this DPA.
     *
     * @return a snapshot
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaProperties properties() {
        return resource.ask(
                "asking " + this + " for its properties",
                (dpa, action) -> new DpaProperties(
                        DpaCalls.cores(dpa, action),
                        DpaCalls.unitsPerCore(dpa, action),
                        DpaCalls.units(dpa, action),
                        DpaCalls.maxThreads(dpa, action),
                        Duration.ofSeconds(DpaCalls.maxRunTime(dpa, action))));
    }

    /**
     * Returns the handle by which programs on the DPA refer to it ({@code doca_dpa_get_dpa_handle}). It is an argument
     * of {@code doca_dpa_dev_device_set}.
     *
     * @return the handle
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public long handle() {
        return resource.ask("asking " + this + " for its handle", DpaCalls::handle);
    }

    /**
     * Returns the handle by which programs on the DPA refer to memory of the CPU
     * ({@code doca_mmap_dev_get_dpa_handle}). Kernels copy from and to this memory with the handle and the memory's
     * address, {@link java.lang.foreign.MemorySegment#address}.
     *
     * @param memory a map for this DPA's device; must stay open as long as kernels use it
     * @return the handle, 32 bits
     * @throws IllegalStateException if the DPA or the map is closed
     * @throws DocaException if DOCA refuses; {@link DocaError#NOT_FOUND} for a map that is not for the device
     */
    public long handleOf(MemoryMap memory) {
        Handle map = CoreObjects.of(memory);
        return resource.ask(
                "asking for the handle of " + memory,
                (dpa, action) -> MmapCalls.dpaHandle(map.handle(), deviceHandle(), action));
    }

    /**
     * Returns which messages the program writes ({@code doca_dpa_get_log_level}).
     *
     * @return the level, at most {@link Level#DEBUG}
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public Level logLevel() {
        return resource.ask("asking " + this + " for its log level", DpaCalls::logLevel);
    }

    /**
     * Returns the device of this DPA.
     *
     * @return the device
     */
    public Device device() {
        return device;
    }

    /**
     * Returns the program of this DPA.
     *
     * @return the program; null if none was set
     */
    public @Nullable DpaApplication application() {
        return application;
    }

    /**
     * Returns whether this DPA is closed.
     *
     * @return true as soon as closing has begun
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Stops the threads of this DPA, closes everything created on it, then stops and destroys it
     * ({@code doca_dpa_stop}, {@code doca_dpa_destroy}). Calling it again does nothing.
     *
     * @throws WrongThreadException if an end of a queue on it belongs to another thread that is not the thread of an
     *     {@link io.github.comch4j.core.EventLoop}
     * @throws DocaException if an object cannot be closed; the DPA is then still open, and you can call this method
     *     again. {@link DocaError#DRIVER} for a thread whose kernel never ends: then nothing has been closed
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * Returns a description of this DPA, for logs.
     *
     * @return a text that identifies this DPA
     */
    @Override
    public String toString() {
        return resource.name();
    }

    DpaHandle resource() {
        return resource;
    }

    MemorySegment deviceHandle() {
        return CoreObjects.of(device).handle();
    }

    /** Makes one of its objects, which does not outlive it, nor what else it is made of. */
    DpaHandle make(
            DpaHandle.Kind kind,
            String what,
            BiFunction<MemorySegment, String, MemorySegment> maker,
            DpaHandle... madeOf) {
        Resource[] owners = Arrays.copyOf(madeOf, madeOf.length + 1, Resource[].class);
        owners[madeOf.length] = resource;
        return DpaHandle.make(
                resource.lock(),
                Resource.Rank.BASE,
                kind,
                what + " on " + this,
                action -> maker.apply(resource.handle(), action),
                owners);
    }

    /** Those of the objects that are there. */
    static DpaHandle[] resources(@Nullable DpaObject... objects) {
        return Stream.of(objects)
                .filter(Objects::nonNull)
                .map(DpaObject::resource)
                .toArray(DpaHandle[]::new);
    }

    static int checkPositive(String what, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(what + " " + number + " is less than 1");
        }
        return number;
    }

    Arena functions() {
        return functions;
    }

    private DpaFunction functionInJava(String name, Function<Arena, MemorySegment> code) {
        return resource.ask(
                "making the function " + name, (object, action) -> DpaFunction.inJava(name, code, functions));
    }

    /**
     * Builds a DPA. Not thread-safe. A builder can be used only once, even if DOCA refuses: afterwards every call
     * throws {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Device device;
        private @Nullable DpaApplication application;
        private @Nullable Level logLevel;
        private @Nullable Path logFile;
        private @Nullable Path traceFile;

        private Builder(Device device) {
            this.device = device;
            this.use = new OneUse("Dpa.Builder on " + device);
        }

        /**
         * Sets the program ({@code doca_dpa_set_app}). Default: none, which is enough for kernels that need no program.
         *
         * @param program the application
         * @return this
         */
        public Builder application(DpaApplication program) {
            use.check();
            application = Objects.requireNonNull(program);
            return this;
        }

        /**
         * Sets which messages of the program are written ({@code doca_dpa_set_log_level}). Default: DOCA's,
         * {@link Level#INFO}.
         *
         * @param level the level; DOCA has none below {@link Level#DEBUG}, so {@link Level#TRACE} and {@link Level#ALL}
         *     mean this one
         * @return this
         */
        public Builder logLevel(Level level) {
            use.check();
            logLevel = Objects.requireNonNull(level);
            return this;
        }

        /**
         * Sets the file for the program's messages ({@code doca_dpa_log_file_set_path}). Default: standard output.
         *
         * @param file a writable file
         * @return this
         */
        public Builder logFile(Path file) {
            use.check();
            logFile = Objects.requireNonNull(file);
            return this;
        }

        /**
         * Sets the file for the program's traces ({@code doca_dpa_trace_file_set_path}). Default: standard output.
         *
         * @param file a writable file
         * @return this
         */
        public Builder traceFile(Path file) {
            use.check();
            traceFile = Objects.requireNonNull(file);
            return this;
        }

        /**
         * Creates and starts the DPA ({@code doca_dpa_create}, {@code doca_dpa_start}).
         *
         * @return the DPA, started
         * @throws io.github.comch4j.MissingFunctionException if the libraries in use have no DPA
         * @throws IllegalStateException if the device is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NOT_SUPPORTED} on a device without a DPA
         */
        public Dpa start() {
            use.begin();
            Handle handle = CoreObjects.of(device);
            Arena functions = Arena.ofShared();
            DpaHandle made = DpaHandle.make(
                    new ReentrantReadWriteLock(),
                    Resource.Rank.BASE,
                    new DpaHandle.Kind(DpaCalls::stop, (dpa, action) -> {
                        DpaCalls.destroy(dpa, action);
                        functions.close();
                    }),
                    "the DPA of " + device,
                    action -> DpaCalls.create(handle.handle(), action),
                    handle);
            made.start((dpa, action) -> {
                configure(dpa, action);
                DpaCalls.start(dpa, action);
            });
            return new Dpa(device, application, made, functions);
        }

        private void configure(MemorySegment dpa, String action) {
            if (application != null) {
                DpaCalls.setApplication(dpa, application.handle(), action);
            }
            if (logLevel != null) {
                DpaCalls.setLogLevel(dpa, logLevel, action);
            }
            if (logFile != null) {
                DpaCalls.setLogFile(dpa, logFile.toString(), action);
            }
            if (traceFile != null) {
                DpaCalls.setTraceFile(dpa, traceFile.toString(), action);
            }
        }
    }
}
