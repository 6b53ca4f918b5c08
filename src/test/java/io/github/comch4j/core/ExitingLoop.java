package io.github.comch4j.core;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import java.util.concurrent.CountDownLatch;

/**
 * The other process of {@link ExitIT}: a shutdown hook closes what a handler's own thread should; {@code exit},
 * {@code signal} or {@code stuck}, and what is closed.
 */
public final class ExitingLoop {
    private ExitingLoop() {}

    public static void main(String[] arguments) throws InterruptedException {
        Machine.useEmulation();
        EventLoop loop = EventLoop.start("loop");
        Device dpu = Device.openDpu(Machine.DPU);
        Device host = Device.openHost(Machine.HOST);
        Representor representor = dpu.openRepresentor(Machine.HOST);
        String name = Machine.uniqueName();
        CountDownLatch handled = new CountDownLatch(1);
        ComchServer server = loop.call(() -> ComchServer.builder(loop.engine(), dpu, representor, name)
                .onMessage((connection, message) -> {
                    handled.countDown();
                    if (arguments[0].equals("exit")) {
                        System.exit(7);
                    }
                })
                .start());
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                switch (arguments[1]) {
                    case "loop" -> loop.close();
                    case "server" -> server.close();
                    case "device" -> dpu.close();
                    default -> loop.call(() -> 1);
                }
                System.out.println("closed");
            } catch (RuntimeException e) {
                System.out.println(e.getMessage());
            }
        }));
        try (EventLoop other = EventLoop.start("other")) {
            ComchClient client = other.call(
                    () -> ComchClient.builder(other.engine(), host, name).connect(Machine.PATIENCE));
            other.call(() -> client.connection().trySend(new byte[1]));
            handled.await();
            System.out.println("handled");
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
