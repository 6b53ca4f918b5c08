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
 * The data-path accelerator of a device ({@code doca_dpa}), started, with a program: runs its functions, and makes what
 * they need.
 *
 * <p>Any thread may use it. While a thread makes, starts, stops or ends an object of a DPA, the others wait, and it
 * waits for them, {@link #rpc} included.
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
     * Whether a DPA reaches a device ({@code doca_dpa_cap_is_supported}): one of its own, as a physical function's, or
     * one that is {@linkplain #extend extended} to it.
     *
     * @param device an open device
     * @return also false where the libraries in use have no DPA
     * @throws IllegalStateException if the device is closed
     */
    public static boolean isSupported(Device device) {
        return DpaCalls.isSupported(DeviceCalls.infoOf(CoreObjects.of(device).handle()));
    }

    /**
     * Begins the settings of a DPA.
     *
     * @param device a device with a DPA of its own
     * @return the settings
     */
    public static Builder builder(Device device) {
        return new Builder(Objects.requireNonNull(device));
    }

    /**
     * The DPA as another function of the same card sees it ({@code doca_dpa_device_extend}), so that virtual functions
     * and subfunctions, which have none of their own, can be used. It has the same program, and ends with this one or
     * before.
     *
     * @param other another function's device
     * @return the DPA, started
     * @throws IllegalStateException if this or the device is closed
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
     * Calls a function on the DPA and waits for its result ({@code doca_dpa_rpc}). While it runs, nothing of this DPA
     * can be made or closed.
     *
     * @param function a function of the application
     * @param arguments its arguments: integers of at most 64 bits, at most 16
     * @return what it returns
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
            throw new IllegalArgumentException(arguments.length + " arguments for " + function + ", where "
                    + DpaRunCalls.ARGUMENTS + " are possible");
        }
    }

    /**
     * Allocates memory on the DPA ({@code doca_dpa_mem_alloc}), which nobody has cleared.
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
     * Begins the settings of a thread.
     *
     * @param kernel what it runs
     * @return the settings
     */
    public DpaThread.Builder thread(DpaFunction kernel) {
        return new DpaThread.Builder(this, Objects.requireNonNull(kernel));
    }

    /**
     * Begins the settings of a launch.
     *
     * @param kernel what is to run
     * @return the settings
     */
    public DpaLaunch.Builder launch(DpaFunction kernel) {
        return new DpaLaunch.Builder(this, Objects.requireNonNull(kernel));
    }

    /**
     * Names an execution unit for threads ({@code doca_dpa_eu_affinity_create}, {@code doca_dpa_eu_affinity_set}).
     *
     * @param unit its number, from 0
     * @return the affinity
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaEuAffinity affinity(int unit) {
        return new DpaEuAffinity(this, unit);
    }

    /**
     * Makes a group of threads ({@code doca_dpa_thread_group_create}, {@code …_set_thread}, {@code …_start}).
     *
     * @param threads started threads, by their ranks, at least one
     * @return the group, started
     * @throws IllegalArgumentException if there is no thread
     * @throws IllegalStateException if the DPA or a thread is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaThreadGroup group(DpaThread... threads) {
        return new DpaThreadGroup(this, List.of(threads));
    }

    /**
     * Makes a completion ({@code doca_dpa_completion_create}, {@code doca_dpa_completion_start}).
     *
     * @param elements how many elements it takes at least that no kernel has acknowledged, at least 1
     * @return the completion, started
     * @throws IllegalArgumentException if {@code elements} is less than 1
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaCompletion completion(int elements) {
        return new DpaCompletion(this, elements, null);
    }

    /**
     * As {@link #completion(int)}, with a thread that an element wakes ({@code doca_dpa_completion_set_thread}).
     *
     * @param elements how many elements it takes at least that no kernel has acknowledged, at least 1
     * @param thread a started thread
     * @return the completion, started
     */
    public DpaCompletion completion(int elements, DpaThread thread) {
        return new DpaCompletion(this, elements, Objects.requireNonNull(thread));
    }

    /**
     * Begins the settings of a completion of consumers.
     *
     * @return the settings
     */
    public DpaConsumerCompletion.Builder consumerCompletion() {
        return new DpaConsumerCompletion.Builder(this);
    }

    /**
     * Makes what kernels wake a thread by ({@code doca_dpa_notification_completion_create},
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
     * Makes a queue for asynchronous operations of kernels ({@code doca_dpa_async_ops_create}, {@code …_attach},
     * {@code …_start}).
     *
     * @param completion where kernels learn of their end
     * @param operations how many operations it holds at least, at least 1
     * @param userData what their completions carry, 24 bits
     * @return the queue, started
     * @throws IllegalArgumentException if a number is not possible
     * @throws IllegalStateException if the DPA or the completion is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaAsyncOps asyncOps(DpaCompletion completion, int operations, long userData) {
        return new DpaAsyncOps(this, completion, operations, userData);
    }

    /**
     * Makes a hash table for kernels ({@code doca_dpa_hash_table_create}).
     *
     * @param entries how many entries it holds, at least 1
     * @return the table
     * @throws IllegalArgumentException if {@code entries} is less than 1
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaHashTable hashTable(int entries) {
        return new DpaHashTable(this, entries);
    }

    /**
     * Begins the settings of a sync event.
     *
     * @return the settings
     */
    public SyncEvent.Builder syncEvent() {
        return new SyncEvent.Builder(this);
    }

    /**
     * The fatal error that a program on the DPA has made ({@code doca_dpa_peek_at_last_error}): from then on, until
     * this is closed, it is here. What it was is in the log of the SDK.
     *
     * @return null while all is well
     * @throws IllegalStateException if the DPA is closed
     */
    public @Nullable DocaException lastError() {
        return resource.ask("a program ran on " + this, (dpa, action) -> {
            DocaAnswer answer = DpaCalls.lastError(dpa);
            return answer.isSuccess() ? null : answer.refused(action);
        });
    }

    /**
     * Its sizes.
     *
     * @return a snapshot
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaProperties properties() {
        return resource.ask(
                "asking " + this + " for its sizes",
                (dpa, action) -> new DpaProperties(
                        DpaCalls.cores(dpa, action),
                        DpaCalls.unitsPerCore(dpa, action),
                        DpaCalls.units(dpa, action),
                        DpaCalls.maxThreads(dpa, action),
                        Duration.ofSeconds(DpaCalls.maxRunTime(dpa, action))));
    }

    /**
     * What programs on the DPA call it ({@code doca_dpa_get_dpa_handle}): an argument of
     * {@code doca_dpa_dev_device_set}.
     *
     * @return the handle
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public long handle() {
        return resource.ask("asking " + this + " for its handle", DpaCalls::handle);
    }

    /**
     * What programs on the DPA call memory of the CPU ({@code doca_mmap_dev_get_dpa_handle}): with its address,
     * {@link java.lang.foreign.MemorySegment#address}, kernels copy from it and to it.
     *
     * @param memory a map for this DPA's device, which lives as long as kernels use it
     * @return the handle, of 32 bits
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
     * Which messages of the program are written ({@code doca_dpa_get_log_level}).
     *
     * @return the level
     * @throws IllegalStateException if the DPA is closed
     * @throws DocaException if DOCA refuses
     */
    public DpaLogLevel logLevel() {
        return DpaLogLevel.of(resource.ask("asking " + this + " for its log level", DpaCalls::logLevel));
    }

    /**
     * The device.
     *
     * @return what it was made on
     */
    public Device device() {
        return device;
    }

    /**
     * The program.
     *
     * @return null if none was set
     */
    public @Nullable DpaApplication application() {
        return application;
    }

    /**
     * Whether it is closed.
     *
     * @return true from the beginning of closing
     */
    public boolean isClosed() {
        return resource.isClosed();
    }

    /**
     * Stops its threads, closes everything made on it, then stops and ends it ({@code doca_dpa_stop},
     * {@code doca_dpa_destroy}). The second call does nothing.
     *
     * @throws WrongThreadException if the end of a queue on it belongs to another thread that is no
     *     {@link io.github.comch4j.core.EventLoop}'s
     * @throws DocaException if something does not end; it is still open then, and closing can be tried again.
     *     {@link DocaError#DRIVER} for a thread whose kernel runs for ever: then nothing has been closed
     */
    @Override
    public void close() {
        resource.close();
    }

    /**
     * For logs.
     *
     * @return what it is
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
     * Settings of a DPA. Not thread safe; can be used once, also if DOCA refuses: afterwards every call throws
     * {@link IllegalStateException}.
     */
    public static final class Builder {
        private final OneUse use;
        private final Device device;
        private @Nullable DpaApplication application;
        private @Nullable DpaLogLevel logLevel;
        private @Nullable Path logFile;
        private @Nullable Path traceFile;

        private Builder(Device device) {
            this.device = device;
            this.use = new OneUse("Dpa.Builder on " + device);
        }

        /**
         * The program ({@code doca_dpa_set_app}). Default: none, which does with kernels that need none.
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
         * Which of its messages are written ({@code doca_dpa_set_log_level}). Default: DOCA's,
         * {@link DpaLogLevel#INFO}.
         *
         * @param level the level
         * @return this
         */
        public Builder logLevel(DpaLogLevel level) {
            use.check();
            logLevel = Objects.requireNonNull(level);
            return this;
        }

        /**
         * Where its messages are written ({@code doca_dpa_log_file_set_path}). Default: standard output.
         *
         * @param file a file that can be written
         * @return this
         */
        public Builder logFile(Path file) {
            use.check();
            logFile = Objects.requireNonNull(file);
            return this;
        }

        /**
         * Where its traces are written ({@code doca_dpa_trace_file_set_path}). Default: standard output.
         *
         * @param file a file that can be written
         * @return this
         */
        public Builder traceFile(Path file) {
            use.check();
            traceFile = Objects.requireNonNull(file);
            return this;
        }

        /**
         * Makes and starts it ({@code doca_dpa_create}, {@code doca_dpa_start}).
         *
         * @return the DPA, started
         * @throws io.github.comch4j.MissingFunctionException if the libraries in use have no DPA
         * @throws IllegalStateException if the device is closed
         * @throws DocaException if DOCA refuses; {@link DocaError#NOT_SUPPORTED} on a device without
         *     a DPA
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
                DpaCalls.setLogLevel(dpa, logLevel.code(), action);
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
