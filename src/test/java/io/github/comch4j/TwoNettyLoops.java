package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchIoHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests with a loop of Netty's on either side of the emulated device, and a service's name. */
@SuppressWarnings("FutureReturnValueIgnored") // of the loops' end, which is waited for
public abstract class TwoNettyLoops {
    protected static final long PATIENCE = Machine.PATIENCE.toMillis();

    protected final String name = Machine.uniqueName();
    protected final ComchAddress service = ComchAddress.of(Machine.DPU, Machine.HOST, name);
    protected EventLoopGroup hostLoop;
    protected EventLoopGroup dpuLoop;

    static {
        Machine.useEmulation();
    }

    @BeforeEach
    void startLoops() {
        hostLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        dpuLoop = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
    }

    @AfterEach
    void endLoops() {
        hostLoop.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS);
        dpuLoop.shutdownGracefully(1, 5000, TimeUnit.MILLISECONDS);
        assertThat(hostLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
        assertThat(dpuLoop.terminationFuture().awaitUninterruptibly(PATIENCE)).isTrue();
    }

    protected static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    protected static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("gave up waiting for: " + what);
            }
            Thread.onSpinWait();
        }
    }
}
