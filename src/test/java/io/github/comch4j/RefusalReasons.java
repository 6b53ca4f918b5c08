package io.github.comch4j;

import io.github.comch4j.channel.ChannelClient;
import io.github.comch4j.channel.ChannelEndpoint;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.io.MessageSocket;
import io.github.comch4j.netty.ComchAddress;
import io.github.comch4j.netty.ComchChannel;
import io.github.comch4j.netty.ComchIoHandler;
import io.github.comch4j.rpc.RpcClient;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

/**
 * The other process of {@link RefusalReasonsIT}: tries to connect in each style of use, and prints why it was refused.
 * Arguments: the server's name, how many milliseconds to try, what to do before (serve that name in this process, fill
 * such a server, be a server of another version, spoil the fabric folder, or nothing), and the styles.
 */
public final class RefusalReasons {
    private RefusalReasons() {}

    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        Duration patience = Duration.ofMillis(Long.parseLong(arguments[1]));
        List<String> styles = Arrays.asList(arguments).subList(3, arguments.length);
        try (Machine machine = new Machine();
                EventLoop loop = EventLoop.start("host");
                EventLoop dpuLoop = EventLoop.start("dpu")) {
            Path fabric = Path.of(System.getenv("DOCA_EMU_DIR"));
            switch (arguments[2]) {
                case "serve" -> serve(machine, dpuLoop, name);
                case "fill" -> {
                    serve(machine, dpuLoop, name);
                    MessageSocket.connect(loop, machine.host, name, Machine.PATIENCE);
                }
                case "other version" -> {
                    ComchServer server = serve(machine, dpuLoop, name);
                    Path socket = socketIn(fabric);
                    dpuLoop.call(() -> {
                        server.close();
                        return server;
                    });
                    OtherVersion.serve(socket);
                }
                case "spoil" -> Files.setPosixFilePermissions(fabric, PosixFilePermissions.fromString("rwxrwxrwx"));
                default -> {}
            }
            for (String style : styles) {
                System.out.println(style + ": " + reason(() -> connect(style, machine, loop, name, patience)));
            }
        }
    }

    private static ComchServer serve(Machine machine, EventLoop loop, String name) {
        return loop.call(() -> ComchServer.builder(loop.engine(), machine.dpu, machine.representor, name)
                .start());
    }

    /** Of the only server. */
    private static Path socketIn(Path fabric) throws IOException {
        try (Stream<Path> files = Files.list(fabric)) {
            return files.filter(file -> file.toString().endsWith(".sock"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Object connect(String style, Machine machine, EventLoop loop, String name, Duration patience)
            throws Exception {
        return switch (style) {
            case "client" ->
                ComchClient.builder(machine.engine, machine.host, name).connect(patience);
            case "handler" -> inAHandler(machine, name);
            case "socket" -> MessageSocket.connect(loop, machine.host, name, patience);
            case "call" -> RpcClient.builder(loop, machine.host, name).connect(patience);
            case "channel" -> {
                try (ChannelClient client =
                        ChannelEndpoint.builder(machine.host).client()) {
                    yield client.connect(name, patience);
                }
            }
            case "netty" -> inNetty(name);
            default -> throw new IllegalArgumentException(style);
        };
    }

    private static Object inAHandler(Machine machine, String name) {
        DocaException[] refusal = new DocaException[1];
        ComchClient[] client = new ComchClient[1];
        client[0] = ComchClient.builder(machine.engine, machine.host, name)
                .onRefused(() -> refusal[0] = client[0].refusal())
                .start();
        machine.until("the refusal", () -> refusal[0] != null);
        client[0].close();
        throw refusal[0];
    }

    private static Object inNetty(String name) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, ComchIoHandler.newFactory());
        try {
            return new Bootstrap()
                    .group(group)
                    .channel(ComchChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(ComchAddress.of(Machine.HOST, name))
                    .sync()
                    .channel();
        } finally {
            group.shutdownGracefully().await();
        }
    }

    private static String reason(Callable<Object> attempt) throws Exception {
        try {
            return "connected: " + attempt.call();
        } catch (DocaException | java.net.ConnectException e) {
            return e.getMessage();
        }
    }
}
