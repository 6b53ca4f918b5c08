package io.github.comch4j.netty;

import io.github.comch4j.DocaException;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Sleeper;
import io.github.comch4j.internal.life.SpinThenSleep;
import io.github.comch4j.link.Loops;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Makes an event loop of Netty run {@link ComchChannel}s and {@link ComchServerChannel}s:
 * {@code new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory())}. Netty calls its methods.
 *
 * <p>Each loop creates a {@link ProgressEngine} when its first channel is registered. The loop's thread progresses the
 * engine. When there is nothing to do, the thread spins for a while and then sleeps on the engine's descriptor, as an
 * {@link io.github.comch4j.core.EventLoop} with {@link IdleStrategy#eventDriven()} does. When the loop ends, it closes
 * everything on the engine; it still sends messages that were accepted.
 */
public final class ComchIoHandler implements IoHandler {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ComchIoHandler.class);
    private static final int EVENTS_PER_RUN = 256;
    /** The longest sleep while connections are ending, which nothing may wake it for. */
    private static final long ENDING_NANOS = 1_000_000;

    private final ThreadAwareExecutor loop;
    private final Set<Registration> registrations = new LinkedHashSet<>();
    private final ArrayDeque<Registration> ready = new ArrayDeque<>();
    private final ClosedConnections endings = new ClosedConnections(this::progress);
    private final Map<PciAddress, Device> devices = new HashMap<>();
    private final Map<List<PciAddress>, Representor> representors = new HashMap<>();
    private final @Nullable NioSide nio; // null: for Comch alone
    private final SpinThenSleep rest;
    private final IdleStrategy otherwise = IdleStrategy.backOff(0, 0, Duration.ofNanos(10_000), Duration.ofMillis(1));
    private volatile @Nullable Thread thread;
    private volatile @Nullable Sleeper sleeper; // null: the thread parks, or sleeps on the selector
    private @Nullable ProgressEngine engine;
    private @Nullable IoHandlerContext context;
    private ByteBuffer scratch = ByteBuffer.allocateDirect(0);

    /** {@code nio} may be null. */
    ComchIoHandler(ThreadAwareExecutor loop, SpinThenSleep rest, @Nullable NioSide nio) {
        this.loop = loop;
        this.rest = rest;
        this.nio = nio;
    }

    /**
     * Creates a factory of handlers, one for each loop.
     *
     * @return the factory, for {@link io.netty.channel.MultiThreadIoEventLoopGroup} and similar groups
     */
    public static IoHandlerFactory newFactory() {
        return loop -> new ComchIoHandler(loop, new SpinThenSleep(), null);
    }

    /**
     * Creates a factory of handlers whose loops spin for a fixed number of rounds before they sleep, and never yield.
     * Use it if other threads of the program, or its peers, need the processors on which the loops of
     * {@link #newFactory()} would spin.
     *
     * @param spins the number of rounds without work after which the loop sleeps, at least 0
     * @return the factory
     * @throws IllegalArgumentException if the number is negative
     */
    public static IoHandlerFactory newFactory(int spins) {
        checkSpins(spins);
        return loop -> new ComchIoHandler(loop, new SpinThenSleep(spins), null);
    }

    /**
     * Creates a factory as {@link #newFactory(int)} does, for loops that also run Netty's NIO channels, such as
     * {@link io.netty.channel.socket.nio.NioSocketChannel}. Use it for proxies: bytes go from one kind of channel to
     * the other without waking a second thread. The loop sleeps until either kind has something to do.
     *
     * @param spins the number of rounds without work after which the loop sleeps, at least 0
     * @return the factory
     * @throws IllegalArgumentException if the number is negative
     */
    public static IoHandlerFactory newFactoryWithNio(int spins) {
        checkSpins(spins);
        return loop -> new ComchIoHandler(loop, new SpinThenSleep(spins), new NioSide(loop, true));
    }

    private static void checkSpins(int spins) {
        if (spins < 0) {
            throw new IllegalArgumentException("spins " + spins + " may not be negative");
        }
    }

    @Override
    public void initialize() {
        thread = Thread.currentThread();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return ComchIoHandle.class.isAssignableFrom(handleType) || (nio != null && nio.isCompatible(handleType));
    }

    /**
     * Registers a channel. The first Comch channel creates the engine.
     *
     * @param handle the handle of a channel
     * @return the registration of the channel
     * @throws IllegalArgumentException if the handle belongs neither to a channel of this package nor to one that
     *     {@link #newFactoryWithNio(int)} supports
     * @throws IllegalStateException if called from a thread other than the loop's
     * @throws DocaException if DOCA refuses to create an engine
     * @throws io.github.comch4j.NativeLibraryException if there is no usable native library
     * @throws Exception if Netty's handler throws an exception for an NIO channel, for example a closed one
     */
    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        if (nio != null && nio.isCompatible(handle.getClass())) {
            return nio.register(handle);
        }
        if (!(handle instanceof ComchIoHandle channel)) {
            throw new IllegalArgumentException(handle + " is not a channel over Comch");
        }
        checkLoop();
        if (engine == null) {
            start();
        }
        Registration registration = new Registration(this, channel);
        registrations.add(registration);
        channel.registered();
        return registration;
    }

    private void checkLoop() {
        if (!loop.isExecutorThread(Thread.currentThread())) {
            throw new IllegalStateException(
                    "the event loop belongs to another thread; " + Thread.currentThread() + " cannot use it");
        }
    }

    private void start() {
        ProgressEngine created = ProgressEngine.create();
        try {
            Engine sleeps = Loops.engineOf(created);
            Sleeper possible = nio == null ? Sleeper.wakeable(sleeps) : nio.sleeper(sleeps);
            if (possible != null && possible.isWakeable()) {
                rest.sleepOn(possible, this::isHandedOver);
                sleeper = possible;
            }
        } catch (DocaException | MissingFunctionException e) {
            LOGGER.debug("The loop does not sleep on its engine.", e);
        }
        thread = Thread.currentThread();
        engine = created;
    }

    private boolean isHandedOver() {
        return context == null || !context.canBlock();
    }

    /** The engine of the loop. */
    ProgressEngine engine() {
        ProgressEngine mine = engine;
        if (mine == null) {
            throw new IllegalStateException("the event loop has ended");
        }
        return mine;
    }

    ThreadAwareExecutor loop() {
        return loop;
    }

    ClosedConnections endings() {
        return endings;
    }

    /** Memory for one message, until the next call. */
    ByteBuffer scratch(int size) {
        if (scratch.capacity() < size) {
            scratch = ByteBuffer.allocateDirect(size);
        }
        return scratch.clear().limit(size);
    }

    /** A host's function; open as long as the loop runs. */
    Device host(PciAddress address) {
        return devices.computeIfAbsent(address, Device::openHost);
    }

    /** The DPU's device; likewise. */
    Device dpu(PciAddress address) {
        return devices.computeIfAbsent(address, Device::openDpu);
    }

    /** A function that a device of the DPU stands for; likewise. */
    Representor representor(PciAddress device, PciAddress function) {
        return representors.computeIfAbsent(
                List.of(device, function), key -> dpu(device).openRepresentor(function));
    }

    void enqueue(Registration registration) {
        ready.add(registration);
    }

    void remove(Registration registration) {
        registrations.remove(registration);
        registration.handle().unregistered();
    }

    @Override
    public int run(IoHandlerContext current) {
        checkLoop();
        context = current;
        int work = progress();
        int handled = dispatch();
        endings.serve();
        if (nio != null) {
            handled += nio.run(); // the last, so that the selector knows what all others want of their sockets
        }
        boolean mayRest = current.canBlock() && ready.isEmpty();
        rest.worked(work + handled > 0 || !mayRest);
        if (work + handled == 0 && mayRest) {
            rest(current.delayNanos(System.nanoTime()));
        } else {
            otherwise.idle(1);
        }
        return handled;
    }

    private int progress() {
        ProgressEngine mine = engine;
        if (mine == null) {
            return 0;
        }
        try {
            return mine.progress(EVENTS_PER_RUN);
        } catch (RuntimeException e) {
            LOGGER.warn("The progress of an event loop's engine has failed.", e);
            return 1;
        }
    }

    /** Those that are ready now; what becomes ready meanwhile is for the next round. */
    private int dispatch() {
        int count = ready.size();
        for (int i = 0; i < count; i++) {
            Registration next = ready.remove();
            try {
                next.run();
            } catch (RuntimeException e) {
                LOGGER.warn("A channel has failed.", e);
            }
        }
        return count;
    }

    private void rest(long most) {
        if (most <= 0) {
            return;
        }
        long limit = endings.isEmpty() ? most : Math.min(most, ENDING_NANOS);
        if (engine != null && rest.idle(limit)) {
            return;
        }
        if (nio != null) {
            nio.sleep(engine == null ? limit : 0);
        } else if (engine == null) {
            LockSupport.parkNanos(this, limit);
        } else {
            otherwise.idle(0);
        }
    }

    @Override
    public void wakeup() {
        if (loop.isExecutorThread(Thread.currentThread())) {
            return;
        }
        Sleeper sleeping = sleeper;
        if (sleeping != null) {
            sleeping.wake();
        } else if (nio != null) {
            nio.wakeup();
        } else {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void prepareToDestroy() {
        for (Registration registration : List.copyOf(registrations)) {
            registration.handle().close();
        }
        if (nio != null) {
            nio.prepareToDestroy();
        }
    }

    @Override
    public void destroy() {
        prepareToDestroy(); // without a quiet period a loop may end without having asked for it
        Sleeper former = sleeper;
        sleeper = null;
        rest.sleepOn(null, this::isHandedOver);
        if (former != null) {
            former.close();
        }
        if (engine != null) {
            close(engine);
            engine = null;
        }
        devices.values().forEach(ComchIoHandler::close);
        devices.clear();
        representors.clear();
        if (nio != null) {
            nio.destroy();
        }
    }

    private static void close(AutoCloseable thing) {
        try {
            thing.close();
        } catch (Exception e) {
            LOGGER.warn("Failed to close {} with its event loop.", thing, e);
        }
    }
}
