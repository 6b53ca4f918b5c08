package io.github.comch4j.misuse;

import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.channel.ChannelCapabilities;
import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelPeer;
import io.github.comch4j.channel.ChannelService;
import io.github.comch4j.comch.Broadcast;
import io.github.comch4j.comch.Capabilities;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchProducer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.BufferList;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.DocaLog;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import io.github.comch4j.dma.DmaCapabilities;
import io.github.comch4j.dma.DmaContext;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.dpa.DpaFunction;
import io.github.comch4j.dpa.DpaThread;
import io.github.comch4j.dpa.Kernels;
import io.github.comch4j.dpa.MessageQueue;
import io.github.comch4j.emulator.EmulatedFaults;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.emulator.KernelCopy;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.ConsumerLabels;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.rpc.RpcClient;
import io.github.comch4j.rpc.RpcException;
import io.github.comch4j.rpc.RpcServer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * Calls every public method of the library where it must not be called, one after the other, each on a {@link Scene} of
 * its own: {@code MODE… [CALL]}. A process of its own, because a mistake would end the VM. Prints what came out;
 * whatever must not come out begins with {@code WRONG}.
 */
public final class EveryMethod {
    /** In which way everything is wrong. */
    enum Mode {
        /** The object is closed. */
        CLOSED,
        /** The engine is closed. */
        ENGINE_CLOSED,
        /** Both devices are closed. */
        DEVICE_CLOSED,
        /** The peer has gone, which is not reported yet. */
        PEER_GONE,
        /** The peer has gone, which was reported. */
        PEER_REPORTED,
        /** What the call gets is closed. */
        CLOSED_ARGUMENTS,
        /** Nothing has been progressed since it was made. */
        NEW,
        /** Another thread calls. */
        OTHER_THREAD,
        /** The engine has no owner. */
        RELEASED,
        /** Twice in a row. */
        TWICE,
        IN_MESSAGE,
        IN_RECEIVE,
        IN_COMPLETION,
        IN_CONSUMER,
        IN_STATE,
        IN_CONNECTED,
        /** One argument is null. */
        NULLS,
        /** One argument is as large or small or strange as can be. */
        EXTREMES
    }

    private static final List<Class<?>> STATIC = List.of(
            BufferInventory.class,
            BufferList.class,
            BufferPool.class,
            MemoryMap.class,
            Broadcast.Pool.class,
            ComchClient.class,
            ComchServer.class,
            ComchInputChannel.class,
            ComchOutputChannel.class,
            MessageServerSocket.class,
            MessageSocket.class,
            ConsumerLabels.class,
            RpcClient.class,
            RpcServer.class,
            Capabilities.class,
            ChannelCapabilities.class,
            ChannelClient.class,
            ChannelService.class,
            ProgressEngine.class,
            Doca.class,
            DocaLog.class,
            PciAddress.class,
            IdleStrategy.class,
            EventLoop.class,
            EmulatedFaults.class,
            DmaCapabilities.class,
            DmaContext.class,
            Dpa.class,
            DpaApplication.class,
            DpaFunction.class,
            JavaKernels.class,
            MessageQueue.class);
    /** These would change the process for good, or end in what was asked for: for ever. */
    private static final List<String> LEFT_OUT = List.of(
            "DocaLog.bridge", "DocaLog.standardBackend", "DocaLog.log", "EmulatedFaults.apply", "IdleStrategy.idle");

    private final Mode mode;
    private int calls;
    private int wrong;

    private EveryMethod(Mode mode) {
        this.mode = mode;
    }

    public static void main(String[] arguments) {
        Machine.useEmulation();
        for (String mode : arguments[0].split(",")) {
            new EveryMethod(Mode.valueOf(mode)).all(arguments.length > 1 ? arguments[1] : "");
        }
        System.exit(0); // a loop that a call has started may still be there
    }

    private void all(String only) {
        try (Scene first = new Scene(true)) {
            for (Map<String, Object> objects : List.of(first.objects, first.withLoop(), first.withDpa())) {
                objects.forEach((name, object) -> {
                    System.out.println("class " + object.getClass().getName());
                    methods(object.getClass(), false)
                            .filter(method -> (name + "." + method.getName()).contains(only))
                            .forEach(method -> method(name, method));
                });
            }
        }
        for (Class<?> type : STATIC) {
            System.out.println("class " + type.getName());
            methods(type, true)
                    .filter(method -> (type.getSimpleName() + "." + method.getName()).contains(only))
                    .forEach(method -> method(type.getSimpleName(), method));
        }
        System.out.println("calls in " + mode + ": " + calls + ", wrong: " + wrong);
    }

    private static java.util.stream.Stream<Method> methods(Class<?> type, boolean ofClass) {
        return Arrays.stream(type.getMethods())
                .filter(method -> method.getDeclaringClass().getName().startsWith("io.github.comch4j.")
                        && (!method.isBridge() || inherits(method))
                        && Modifier.isStatic(method.getModifiers()) == ofClass
                        && !LEFT_OUT.contains(type.getSimpleName() + "." + method.getName()))
                .sorted(Comparator.comparing(Method::toString));
    }

    /** Whether it is there for a method of a superclass that programs cannot see. */
    private static boolean inherits(Method bridge) {
        return !Modifier.isPublic(bridge.getDeclaringClass().getSuperclass().getModifiers());
    }

    private void method(String name, Method method) {
        if (mode == Mode.NULLS || mode == Mode.EXTREMES) {
            Class<?>[] types = method.getParameterTypes();
            for (int i = 0; i < types.length; i++) {
                int number = i;
                int variants = mode == Mode.NULLS
                        ? types[i].isPrimitive() ? 0 : 1
                        : extremes(method, types[i]).size();
                for (int j = 0; j < variants; j++) {
                    int variant = j;
                    one(name, method, number, variant);
                }
            }
        } else {
            one(name, method, -1, 0);
        }
    }

    /** One call; {@code number} is the argument that is strange, or -1. */
    private void one(String name, Method method, int number, int variant) {
        Throwable problem = null;
        Throwable[] thrown = new Throwable[1];
        String call = name + "." + method.getName()
                + Arrays.stream(method.getParameterTypes())
                        .map(Class::getSimpleName)
                        .toList()
                + (number < 0
                        ? ""
                        : ", argument " + number
                                + (mode == Mode.NULLS
                                        ? " null"
                                        : " "
                                                + shown(extremes(method, method.getParameterTypes()[number])
                                                        .get(variant))));
        calls++;
        System.out.println("? " + call); // the last line, if this is the last call
        try (Scene scene = new Scene(mode != Mode.NEW)) {
            Object target = Modifier.isStatic(method.getModifiers())
                    ? null
                    : scene.objects.containsKey(name) ? scene.objects.get(name) : scene.other(name);
            Object[] values = Arrays.stream(method.getParameterTypes())
                    .map(type -> value(scene, method, type))
                    .toArray();
            if (number >= 0) {
                values[number] = mode == Mode.NULLS
                        ? null
                        : extremes(method, method.getParameterTypes()[number]).get(variant);
            }
            Runnable action = () -> {
                if (List.of("read", "write").contains(method.getName())
                        && scene.engine.owner() == Thread.currentThread()) {
                    scene.engine.setTimeout(Duration.ofMillis(20));
                }
                thrown[0] = call(method, target, values);
            };
            stage(scene, target, values, action);
            if (!scene.engine.isClosed() && scene.engine.owner() == null) {
                scene.engine.takeOver();
            }
            if (!scene.engine.isClosed()) {
                scene.engine.setTimeout(Machine.PATIENCE);
            }
            scene.check();
        } catch (RuntimeException | Error e) {
            problem = e;
        }
        boolean good = problem == null && (thrown[0] == null || allowed(thrown[0], method));
        wrong += good ? 0 : 1;
        System.out.println((good ? "ok    " : "WRONG ") + call + ": " + (thrown[0] == null ? "returns" : thrown[0])
                + (problem == null ? "" : "; afterwards " + problem));
        if (!good) {
            (problem == null ? thrown[0] : problem).printStackTrace();
        }
    }

    private void stage(Scene scene, Object target, Object[] values, Runnable action) {
        switch (mode) {
            case CLOSED -> {
                close(scene, target);
                action.run();
            }
            case ENGINE_CLOSED -> {
                scene.engine.close();
                action.run();
            }
            case DEVICE_CLOSED -> {
                scene.machine.host.close();
                scene.machine.dpu.close();
                action.run();
            }
            case PEER_GONE -> {
                new EmulatedFaults().drop(1).apply();
                try {
                    scene.client.connection().trySend(new byte[1]);
                } catch (ConnectionClosedException e) {
                    // as ordered
                } finally {
                    EmulatedFaults.clear();
                }
                action.run();
            }
            case PEER_REPORTED -> {
                scene.server.close();
                scene.machine.until("the end", () -> !scene.client.isConnected());
                action.run();
            }
            case CLOSED_ARGUMENTS -> {
                for (Object value : values) {
                    if (value != target) {
                        close(scene, value);
                    }
                }
                action.run();
            }
            case OTHER_THREAD -> inOtherThread(action);
            case RELEASED -> {
                scene.engine.release();
                action.run();
            }
            case TWICE -> {
                action.run();
                action.run();
            }
            case IN_MESSAGE -> scene.inCallback(Scene.Place.MESSAGE, action);
            case IN_RECEIVE -> scene.inCallback(Scene.Place.RECEIVE, action);
            case IN_COMPLETION -> scene.inCallback(Scene.Place.COMPLETION, action);
            case IN_CONSUMER -> scene.inCallback(Scene.Place.CONSUMER, action);
            case IN_STATE -> scene.inCallback(Scene.Place.STATE, action);
            case IN_CONNECTED -> scene.inCallback(Scene.Place.CONNECTED, action);
            case NEW, NULLS, EXTREMES -> action.run();
        }
    }

    private static void close(Scene scene, Object value) {
        if (value instanceof ComchConnection connection) {
            if (connection == scene.accepted) {
                connection.disconnect();
            } else {
                scene.client.close();
            }
        } else if (value instanceof ChannelPeer peer) {
            peer.disconnect();
        } else if (value instanceof BufferPool.Slot slot) {
            slot.release();
        } else if (value instanceof Broadcast broadcast) {
            broadcast.release();
        } else if (value instanceof BufferList list) {
            list.get(list.size() - 1).close();
        } else if (value instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void inOtherThread(Runnable action) {
        Thread other = new Thread(action, "other");
        other.start();
        try {
            other.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Throwable call(Method method, Object target, Object[] values) {
        try {
            Object result = method.invoke(target, values);
            if (result instanceof EventLoop loop && !method.getName().equals("loop")) {
                loop.close();
            } else if (target == null
                    && (result instanceof ProgressEngine
                            || result instanceof BufferInventory
                            || result instanceof Device)) {
                ((AutoCloseable) result).close();
            }
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (Exception e) {
            return new AssertionError(e);
        }
    }

    /** Whether a program can be told this about this mistake. */
    private boolean allowed(Throwable told, Method method) {
        Throwable thrown = told instanceof IOException && told.getCause() instanceof DocaException cause
                ? cause
                : told; // of channels
        boolean wrongState = thrown instanceof IllegalStateException
                || thrown instanceof ClosedChannelException
                || thrown instanceof RejectedExecutionException
                || thrown instanceof ConnectionClosedException;
        boolean wrongArgument =
                thrown instanceof IllegalArgumentException || thrown instanceof IndexOutOfBoundsException;
        boolean never = thrown instanceof UnsupportedOperationException || thrown instanceof TimeoutException;
        boolean refused = thrown instanceof DocaException
                || thrown instanceof RpcException
                || thrown instanceof MissingFunctionException;
        boolean text = !(thrown instanceof ClosedChannelException)
                && !(thrown instanceof TimeoutException)
                && thrown.getMessage() == null;
        return switch (mode) {
            case CLOSED, ENGINE_CLOSED, DEVICE_CLOSED, CLOSED_ARGUMENTS ->
                !text && (wrongState || wrongArgument || never || isAnswer(thrown));
            case OTHER_THREAD, RELEASED ->
                (thrown instanceof WrongThreadException && !text)
                        || never
                        || wrongArgument
                        || isAnswer(thrown)
                        || (thrown instanceof IllegalStateException && isAboutSomethingElse(thrown));
            case NULLS -> thrown instanceof NullPointerException || wrongState || wrongArgument || refused || never;
            case EXTREMES ->
                (!text || thrown instanceof OutOfMemoryError)
                        && (wrongState
                                || wrongArgument
                                || refused
                                || never
                                || thrown instanceof WrongThreadException
                                || thrown instanceof OutOfMemoryError); // memory of another thread; more than there is
            case TWICE ->
                !text
                        && (wrongState
                                || wrongArgument
                                || refused
                                || never
                                || (method.getName().equals("release") && thrown instanceof WrongThreadException));
            default -> !text && (wrongState || wrongArgument || refused || never);
        };
    }

    /** The loop, a callback, a handler that the builder has already, the kernel. */
    private static boolean isAboutSomethingElse(Throwable thrown) {
        return thrown.getMessage() != null
                && (thrown.getMessage().contains("in the loop")
                        || thrown.getMessage().contains("is set already")
                        || thrown.getMessage().contains("receive handler")
                        || thrown.getMessage().contains("has a peer")
                        || thrown.getMessage().contains("closed")
                        || thrown.getMessage().contains("the kernel that received"));
    }

    /** What has nothing to do with the mistake. */
    private static boolean isAnswer(Throwable thrown) {
        if (thrown instanceof DocaException e) {
            return switch (e.error()) {
                case TIME_OUT, IN_USE, NOT_FOUND, NOT_SUPPORTED, NOT_PERMITTED, INVALID_VALUE, CONNECTION_ABORTED ->
                    true;
                default -> false;
            };
        }
        return thrown instanceof RpcException;
    }

    private static String shown(Object value) {
        return value instanceof byte[] bytes
                ? bytes.length + " bytes"
                : value instanceof String text && text.length() > 20
                        ? "a long text"
                        : String.valueOf(value).replace("\0", "NUL");
    }

    private static List<Object> extremes(Method method, Class<?> type) {
        if (type == int.class) {
            return List.of(Integer.MIN_VALUE, -1, 0, Integer.MAX_VALUE);
        } else if (type == long.class) {
            return List.of(Long.MIN_VALUE, -1L, 0L, 1L << 48, Long.MAX_VALUE);
        } else if (type == Duration.class) {
            boolean forEver = List.of(
                                    "await",
                                    "awaitConnected",
                                    "awaitEqual",
                                    "awaitEvent",
                                    "awaitGreater",
                                    "awaitReceive",
                                    "awaitSend",
                                    "awaitServiceEvent",
                                    "awaitTermination",
                                    "accept",
                                    "receive")
                            .contains(method.getName())
                    || (List.of(MessageSocket.class, ChannelClient.class).contains(method.getDeclaringClass())
                            && method.getName().equals("connect"));
            List<Object> durations =
                    new ArrayList<>(List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofMillis(-1), Duration.ZERO));
            if (!forEver) {
                durations.add(Duration.ofSeconds(Long.MAX_VALUE));
            }
            return durations;
        } else if (type == byte[].class) {
            return List.of(new byte[0], new byte[100], new byte[1 << 16], new byte[1 << 24]);
        } else if (type == String.class) {
            return List.of("", "a\0b", "x".repeat(1000), "\uD800", "%s%n", "0000:b1:00.0");
        } else if (type == ByteBuffer.class) {
            return List.of(
                    ByteBuffer.allocate(0),
                    ByteBuffer.allocate(4).asReadOnlyBuffer(),
                    ByteBuffer.allocateDirect(1 << 16));
        } else if (type == MemorySegment.class) {
            return List.of(
                    MemorySegment.NULL,
                    MemorySegment.ofArray(new int[4]),
                    MemorySegment.ofArray(new byte[0]),
                    closed(),
                    foreign(),
                    Arena.ofAuto().allocate(1 << 20),
                    Arena.ofAuto().allocate(8).asReadOnly());
        } else if (type.isEnum()) {
            return List.of(type.getEnumConstants());
        }
        return List.of();
    }

    private static MemorySegment closed() {
        try (Arena arena = Arena.ofConfined()) {
            return arena.allocate(8);
        }
    }

    private static MemorySegment foreign() {
        MemorySegment[] made = new MemorySegment[1];
        inOtherThread(() -> made[0] = Arena.ofConfined().allocate(8));
        return made[0];
    }

    private Object value(Scene scene, Method method, Class<?> type) {
        boolean dpu = method.getDeclaringClass() == ComchServer.class
                || method.getDeclaringClass() == ChannelService.class
                || method.getDeclaringClass() == MessageServerSocket.class
                || method.getDeclaringClass() == RpcServer.class
                || method.getDeclaringClass() == ComchInputChannel.class;
        if (type == int.class) {
            return 1;
        } else if (type == long.class) {
            return 1L;
        } else if (type == byte.class) {
            return (byte) 1;
        } else if (type == boolean.class) {
            return true;
        } else if (type == byte[].class) {
            return new byte[] {1};
        } else if (type == String.class) {
            return "misuse";
        } else if (type == Object.class) {
            return "object";
        } else if (type == Class.class) {
            return Object.class;
        } else if (type == Duration.class) {
            return Scene.SHORT;
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.allocate(8);
        } else if (type == MemorySegment.class) {
            return Arena.ofAuto().allocate(8);
        } else if (type == PciAddress.class) {
            return Machine.HOST;
        } else if (type == KernelCopy.class) {
            return new KernelCopy(1, 1, 1, 1, 1);
        } else if (type == Access[].class) {
            return new Access[] {Access.PCI_READ_WRITE};
        } else if (type == Device[].class) {
            return new Device[] {scene.machine.host};
        } else if (type == Device.class) {
            return dpu ? scene.machine.dpu : scene.machine.host;
        } else if (type == Representor.class) {
            return scene.machine.representor;
        } else if (type == ProgressEngine.class) {
            return scene.engine;
        } else if (type == EventLoop.class) {
            return scene.withLoop().get(Scene.LOOP);
        } else if (type == MemoryMap.class) {
            return scene.hostMemory;
        } else if (type == ComchConnection.class) {
            return dpu ? scene.accepted : scene.client.connection();
        } else if (type == ChannelPeer.class) {
            return scene.withLoop().get("peer of the channel client");
        } else if (type == Buffer.class) {
            return method.getName().equals("tryPost") ? scene.free : scene.buffer;
        } else if (type == Buffer[].class) {
            return new Buffer[] {scene.buffer, scene.free};
        } else if (type == ComchProducer.class) {
            return scene.releasing;
        } else if (type == BufferList.class) {
            return scene.list;
        } else if (type == long[].class) {
            return new long[] {1, 2};
        } else if (type == Path.class) {
            return Kernels.program().library();
        } else if (type == DpaThread[].class) {
            return new DpaThread[] {(DpaThread) scene.withDpa().get("thread of the DPA")};
        } else if (type.getPackage() == Dpa.class.getPackage()
                && Modifier.isFinal(type.getModifiers())
                && !type.isEnum()) {
            return scene.withDpa().values().stream()
                    .filter(type::isInstance)
                    .findFirst()
                    .orElseThrow();
        } else if (type == IdleStrategy.class) {
            return IdleStrategy.yielding();
        } else if (type.isEnum()) {
            return type.getEnumConstants()[type.getEnumConstants().length - 1];
        } else if (type.isInterface()) {
            return Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, called, values) -> switch (called.getName()) {
                        case "getAsBoolean" -> false;
                        case "hashCode" -> 1;
                        case "equals" -> proxy == values[0];
                        case "toString" -> "a handler";
                        default -> null;
                    });
        }
        throw new AssertionError("no value for a " + type + " of " + method);
    }
}
