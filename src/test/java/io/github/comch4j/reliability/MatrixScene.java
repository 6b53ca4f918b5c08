package io.github.comch4j.reliability;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.Representor;
import io.github.comch4j.netty.ComchIoHandler;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.time.Duration;

/** What an end of the matrix has of its machine, for all of its cells. */
final class MatrixScene {
    /** How long a path may wait before it has waited too long. */
    static final Duration PATIENCE = Duration.ofSeconds(15);

    final Device device;
    final Representor representor; // null on the host
    private EventLoop loop;
    private EventLoopGroup netty;

    MatrixScene(boolean host) {
        device = host ? Device.openHost(Machine.HOST) : Device.openDpu(Machine.DPU);
        representor = host ? null : device.openRepresentor(Machine.HOST);
    }

    EventLoop loop() {
        if (loop == null) {
            loop = EventLoop.start("matrix", IdleStrategy.eventDriven(), failure -> {});
        }
        return loop;
    }

    EventLoopGroup netty() {
        if (netty == null) {
            netty = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        }
        return netty;
    }
}
