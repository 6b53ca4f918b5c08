package io.github.comch4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code comch relay}, two processes, with programs on either side that know sockets only. */
@Timeout(180)
class RelayIT extends RelayProcesses {
    @Test
    void halfClosureIsCarriedAndNothingIsLost() throws Exception {
        serve(RelayIT::afterwards);
        start("dpu", comch(), to());
        ChildVm host = start("host", unix(), comch(), "tcp:0", comch());
        byte[] sent = random(5_000_000);
        try (SocketChannel channel = connect(host)) {
            Channels.newOutputStream(channel).write(sent);
            channel.shutdownOutput();
            byte[] back = Channels.newInputStream(channel).readAllBytes();
            assertThat(Arrays.mismatch(back, sent)).isEqualTo(-1);
        }
        try (Socket socket = connect(port(host))) {
            socket.getOutputStream().write(sent);
            socket.shutdownOutput();
            assertThat(Arrays.mismatch(socket.getInputStream().readAllBytes(), sent))
                    .isEqualTo(-1);
        }
        host.awaitError("5000000 bytes sent, 5000000 received");
    }

    @Test
    void theWayBackWithTheServiceOnTheHost() throws Exception {
        serve(RelayIT::echo);
        start("host", comch(), to());
        ChildVm dpu = start("dpu", "tcp:0", comch());
        int port = port(dpu);
        for (int i = 0; i < 3; i++) {
            try (Socket socket = connect(port)) {
                socket.getOutputStream().write(random(100_000));
                assertThat(socket.getInputStream().readNBytes(100_000)).isEqualTo(random(100_000));
            }
        }
    }

    @Test
    void aTargetThatRefusesIsARefusalAtTheClientAndALine() throws Exception {
        int gone = target.getLocalPort();
        target.close();
        ChildVm dpu = start("dpu", comch(), "tcp:" + gone);
        ChildVm host = start("host", "tcp:0", comch());
        int port = port(host);
        try (Socket socket = connect(port)) {
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset");
        }
        dpu.awaitError("a stream was refused: ").awaitError("refused");
        host.awaitError("a client was turned away: ");
        target = new ServerSocket(gone, 50, InetAddress.getLoopbackAddress());
        serve(RelayIT::echo);
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
        }
    }

    @Test
    void aTargetWhoseHostThereIsNotIsARefusal() throws Exception {
        String none = "x".repeat(64); // longer than a label of DNS: nobody is asked
        ChildVm dpu = start("dpu", comch(), "tcp:" + none + ":1");
        try (Socket socket = connect(port(start("host", "tcp:0", comch())))) {
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset");
        }
        dpu.awaitError("a stream was refused: its host is not known: " + none);
    }

    @Test
    void linesTellTheTimeThePairThePeerAndHowManyWereLeftOut() throws Exception {
        serve(RelayIT::echo);
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "dpu");
        List<String> journal =
                List.of("sh", "-c", "JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2) exec \"$@\"", "sh");
        ChildVm dpu = children.start(journal, folder, side, Comch.class, "relay", comch(), to());
        dpu.awaitError("comch: serves " + comch() + " " + to() + "\n");
        ChildVm host = start("host", "tcp:0", comch());
        int port = port(host);
        int own;
        try (Socket socket = connect(port)) {
            own = socket.getLocalPort();
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
        }
        host.awaitError("stream 1: tcp:0 " + comch() + ", 127.0.0.1:" + own + ": ended after");
        target.close();
        int refused = 0;
        while (!dpu.err().contains(" more refusals were left out")) {
            refused++;
            try (Socket socket = connect(port)) {
                assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(IOException.class);
            }
        }
        host.terminate();
        host.awaitEnd();
        assertThat(dpu.err().lines().filter(line -> line.contains("a stream was refused")))
                .hasSizeLessThan(refused);
        assertThat(dpu.err().lines().filter(line -> line.contains("comch: ")))
                .allMatch(line -> line.startsWith("comch: "), "without a time");
        assertThat(host.err()).containsPattern("(?m)^\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}[+-][0-9:]{5} comch: stream 1: ");
    }

    @Test
    void aPortInUseHasNoStackTraceUnlessAskedTwice() throws Exception {
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "host");
        String used = "tcp:127.0.0.1:" + target.getLocalPort();
        ChildVm once = children.start(folder, side, Comch.class, "relay", "-v", used, comch());
        ChildVm twice = children.start(folder, side, Comch.class, "relay", "-vv", used, comch());
        assertThat(once.awaitEnd()).isEqualTo(1);
        assertThat(once.err()).contains("in use").doesNotContain("\tat ");
        assertThat(twice.awaitEnd()).isEqualTo(1);
        assertThat(twice.err()).contains("in use", "\tat ");
    }

    @Test
    void allAddressesOfANameAreTriedInTheirOrder() throws Exception {
        serve(RelayIT::echo);
        Path hosts = Files.writeString(folder.resolve("hosts"), "127.0.0.2 two.test\n127.0.0.1 two.test\n");
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "dpu", "JDK_JAVA_OPTIONS", "-Djdk.net.hosts.file=" + hosts);
        String there = "tcp:two.test:" + target.getLocalPort();
        ChildVm dpu = children.start(folder, side, Comch.class, "relay", comch(), there);
        int port = port(start("host", "tcp:0", comch()));
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(3);
            assertThat(socket.getInputStream().read()).isEqualTo(3);
        }
        target.close();
        try (Socket socket = connect(port)) {
            assertThatThrownBy(() -> socket.getInputStream().read()).isInstanceOf(IOException.class);
        }
        dpu.awaitError("a stream was refused: ");
        assertThat(dpu.err()).containsPattern("refused: .*127\\.0\\.0\\.2.*; .*127\\.0\\.0\\.1");
    }

    @Test
    void aPortWithoutAHostIsBothLoopBackAddresses() throws Exception {
        InetAddress second = InetAddress.ofLiteral("::1");
        target.close();
        try {
            target = new ServerSocket(0, 50, second);
        } catch (IOException e) {
            assumeTrue(false, "this machine has no ::1");
        }
        serve(RelayIT::echo);
        start("dpu", comch(), to());
        int port = port(start("host", "tcp:0", comch()));
        for (InetAddress each : List.of(second, InetAddress.ofLiteral("127.0.0.1"))) {
            try (Socket socket = new Socket(each, port)) {
                socket.setSoTimeout(PATIENCE_MILLIS);
                socket.getOutputStream().write(4);
                assertThat(socket.getInputStream().read()).isEqualTo(4);
            }
        }
    }

    @Test
    void aSocketInAFolderWithALongName() throws Exception {
        serve(RelayIT::echo);
        start("dpu", comch(), to());
        Path deep = Files.createDirectories(folder.resolve("ä".repeat(60)).resolve("x".repeat(60)));
        fails("a path has 1 to 107 bytes", 2, "unix:" + deep.resolve("s.sock"), comch());
        List<String> there = List.of("sh", "-c", "cd \"$0\" && exec \"$@\"", deep.toString());
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "host");
        String from = "unix:s.sock";
        ChildVm host = children.start(there, folder, side, Comch.class, "relay", "-v", "-W", "60", from, comch());
        host.awaitError("listens at");
        assertThat(deep.resolve("s.sock")).exists();
        host.terminate();
        host.awaitEnd();
        assertThat(deep.resolve("s.sock")).doesNotExist();
    }

    @Test
    void aRelayThatIsKilledResetsItsStreamsAndTheNextOneIsUsed() throws Exception {
        serve(RelayIT::echo);
        ChildVm dpu = start("dpu", comch(), to());
        ChildVm host = start("host", "tcp:0", comch());
        int port = port(host);
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            dpu.kill();
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset");
        }
        host.awaitError(comch() + ": a connection has ended: the connection has ended before");
        try (Socket socket = connect(port)) {
            start("dpu", comch(), to());
            socket.getOutputStream().write(2);
            assertThat(socket.getInputStream().read()).isEqualTo(2);
        }
    }

    @Test
    void aClientThatIsResetResetsItsConnectionToTheTarget() throws Exception {
        var seen = new java.util.concurrent.CompletableFuture<String>();
        serve(socket -> {
            try {
                socket.getOutputStream().write(socket.getInputStream().read());
                seen.complete("read " + socket.getInputStream().read());
            } catch (IOException e) {
                seen.complete(e.getMessage());
            }
        });
        start("dpu", comch(), to());
        int port = port(start("host", "tcp:0", comch()));
        Socket socket = connect(port);
        socket.getOutputStream().write(7);
        assertThat(socket.getInputStream().read()).isEqualTo(7);
        socket.setSoLinger(true, 0);
        socket.close();
        assertThat(seen.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)).containsIgnoringCase("reset");
    }

    @Test
    void streamsFinishAfterSigterm() throws Exception {
        serve(RelayIT::echo);
        ChildVm dpu = start("dpu", comch(), to());
        ChildVm host = start("host", unix(), comch(), "--drain", "60");
        try (SocketChannel channel = connect(host)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}));
            assertThat(Channels.newInputStream(channel).read()).isEqualTo(1);
            host.terminate();
            while (Files.exists(path())) {
                Thread.sleep(10);
            }
            assertThatThrownBy(() -> SocketChannel.open(UnixDomainSocketAddress.of(path())))
                    .isInstanceOf(IOException.class);
            channel.write(ByteBuffer.wrap(new byte[] {2}));
            assertThat(Channels.newInputStream(channel).read()).isEqualTo(2);
            channel.shutdownOutput();
            assertThat(Channels.newInputStream(channel).read()).isEqualTo(-1);
        }
        assertThat(host.awaitEnd()).isZero();
        assertThat(dpu.isAlive()).isTrue();
    }

    @Test
    void aStreamThatIsCutIsAnExitStatus() throws Exception {
        serve(RelayIT::echo);
        start("dpu", comch(), to());
        ChildVm host = start("host", "tcp:0", comch(), "--drain", "0.2");
        try (Socket socket = connect(port(host))) {
            socket.getOutputStream().write(1);
            assertThat(socket.getInputStream().read()).isEqualTo(1);
            host.terminate();
            assertThat(host.awaitEnd()).isEqualTo(143);
        }
    }

    @Test
    void aFileIsCheckedAsAWholeAndNothingIsStarted() throws Exception {
        Path pairs = folder.resolve("pairs");
        Files.writeString(
                pairs, "# services\ntcp:0 comch:a extra\ncomch:b exec:tr a b\n\ncomch:b tcp:1\nudp:1 comch:c\n");
        for (String check : List.of("--check", "-v")) {
            ChildVm relay = children.start(
                    folder, Map.of("DOCA_EMU_SIDE", "host"), Comch.class, "relay", check, "--file", pairs.toString());
            assertThat(relay.awaitEnd()).isEqualTo(1);
            assertThat(relay.err().lines().filter(line -> line.startsWith("comch: " + pairs)))
                    .satisfiesExactly(
                            line -> assertThat(line).contains("pairs:2: \"extra\" is too much"),
                            line -> assertThat(line).contains("pairs:5: comch:b is there twice"),
                            line -> assertThat(line).contains("pairs:6: \"udp:1\": an address is"));
        }
        Files.writeString(pairs, to() + " comch:a\n"); // which is in use, as nobody looks
        ChildVm relay = children.start(
                folder, Map.of("DOCA_EMU_SIDE", "host"), Comch.class, "relay", "--check", "-f", pairs.toString());
        assertThat(relay.awaitEnd()).as(relay.err()).isZero();
        assertThat(relay.err()).contains("nothing is wrong with the pairs: 1");
    }

    @Test
    void stdinAndStdoutAndCommands() throws Exception {
        start("dpu", comch(), "exec:tr a-z A-Z; echo end");
        byte[] text = "what is written\n".repeat(50_000).getBytes(UTF_8);
        for (int i = 0; i < 2; i++) {
            ChildVm host = start("host", "-", comch()).input(text).endInput();
            host.assertSuccess();
            assertThat(host.out()).isEqualTo("WHAT IS WRITTEN\n".repeat(50_000) + "end\n");
        }
    }

    @Test
    void sigtermEndsAStreamOfStdinAtOnce() throws Exception {
        ChildVm dpu = start("dpu", comch(), "exec:cat");
        ChildVm host = start("host", "-", comch(), "--drain", "1000").input("text\n".getBytes(UTF_8));
        host.awaitOutput("text\n").handle().destroy(); // Process.destroy would end its stdin, too
        assertThat(host.awaitEnd()).isEqualTo(143);
        dpu.awaitError(", the other side: reset: Connection reset");
        assertThat(dpu.err()).doesNotContain("vanished");
    }

    @Test
    void stdinAndStdoutThatCannotBeUsedEndTheStream() throws Exception {
        start("dpu", comch(), "exec:yes");
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "host");
        List<String> some = List.of("sh", "-c", "\"$@\" | head -n 1", "sh");
        ChildVm host = children.start(some, folder, side, Comch.class, "relay", "-", comch());
        host.awaitEnd();
        assertThat(host.out()).isEqualTo("y\n");
        assertThat(host.err())
                .endsWith("comch: the stream has ended early: stdout cannot be written to: Broken pipe\n");
        List<String> from = List.of("sh", "-c", "exec \"$@\" </", "sh");
        ChildVm unread = children.start(from, folder, side, Comch.class, "relay", "-", comch());
        assertThat(unread.awaitEnd()).isEqualTo(1);
        assertThat(unread.err()).endsWith("comch: the stream has ended early: stdin cannot be read: Is a directory\n");
    }

    @Test
    void aFileNamesPairsAndTheSocketIsItsOwners() throws Exception {
        serve(RelayIT::echo);
        Path pairs = Files.writeString(folder.resolve("pairs"), """
                # services of the DPU
                %s,mode=0620 %s

                tcp:0 %s
                """.formatted(unix(), comch(), comch()));
        start("dpu", comch(), to());
        ChildVm host = start("host", "--file", pairs.toString());
        port(host);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw--w----");
        host.terminate();
        assertThat(host.awaitEnd()).isZero();
        // one that is left from a program that has ended is replaced
        try (ServerSocketChannel left = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            left.bind(UnixDomainSocketAddress.of(path()));
        }
        ChildVm again = start("host", unix(), comch());
        try (SocketChannel channel = connect(again)) {
            channel.write(ByteBuffer.wrap(new byte[] {1}));
            assertThat(Channels.newInputStream(channel).read()).isEqualTo(1);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
                .isEqualTo("rw-------");
    }

    @Test
    void sighupReadsTheFileAgain() throws Exception {
        serve(RelayIT::echo);
        String first = "tcp:0 " + comch() + "\n";
        String second = unix() + " " + comch() + "\n";
        Path pairs = Files.writeString(folder.resolve("pairs"), first);
        start("dpu", comch(), to());
        ChildVm host = start("host", "--file", pairs.toString());
        int port = port(host);
        try (Socket old = connect(port)) {
            echoes(old);
            reload(host, pairs, first + second, "comch: serves " + second.strip());
            echoes(old);
            try (SocketChannel added = connect(host)) {
                added.write(ByteBuffer.wrap(new byte[] {1}));
                assertThat(Channels.newInputStream(added).read()).isEqualTo(1);
                reload(host, pairs, second, "comch: no longer serves " + first.strip());
                assertThatThrownBy(() -> connect(port)).isInstanceOf(IOException.class);
                echoes(old);
                reload(host, pairs, "udp:1 comch:a\n", "comch: the pairs stay as they are");
                added.write(ByteBuffer.wrap(new byte[] {2}));
                assertThat(Channels.newInputStream(added).read()).isEqualTo(2);
            }
        }
        host.terminate();
        assertThat(host.awaitEnd()).isZero();
    }

    private static void echoes(Socket socket) throws IOException {
        socket.getOutputStream().write(7);
        assertThat(socket.getInputStream().read()).isEqualTo(7);
    }

    private static void reload(ChildVm relay, Path file, String pairs, String told) throws Exception {
        Files.writeString(file, pairs);
        new ProcessBuilder("kill", "-HUP", Long.toString(relay.handle().pid()))
                .start()
                .waitFor();
        relay.awaitError(told);
    }

    @Test
    void topShowsItsStreams() throws Exception {
        serve(RelayIT::echo);
        start("dpu", comch(), to());
        ChildVm host = start("host", "tcp:0", comch());
        int port = port(host);
        try (Socket ended = connect(port);
                Socket open = connect(port)) {
            for (Socket socket : new Socket[] {ended, open}) {
                socket.getOutputStream().write(new byte[1000]);
                assertThat(socket.getInputStream().readNBytes(1000)).hasSize(1000);
            }
            ended.shutdownOutput();
            assertThat(ended.getInputStream().read()).isEqualTo(-1);
            target.close(); // the next one is refused
            try (Socket refused = connect(port)) {
                assertThatThrownBy(() -> refused.getInputStream().read()).isInstanceOf(IOException.class);
            }
            ChildVm top = children.start(
                    folder,
                    Map.of(),
                    Comch.class,
                    "top",
                    "--once",
                    "--json",
                    "--pid",
                    Long.toString(host.handle().pid()));
            top.assertSuccess();
            assertThat(top.out())
                    .contains(
                            "\"type=Relay\"",
                            "\"OpenStreams\": 1",
                            "\"Streams\": 2",
                            "\"ResetStreams\": 0",
                            "\"RefusedStreams\": 1",
                            "\"BytesSent\": 1000",
                            "\"BytesReceived\": 1000")
                    .contains("\"type=Connection,");
        }
    }

    @Test
    void theSocketIsGivenToAUserAndAGroup() throws Exception {
        assumeTrue(isRoot(), "only root can give a socket to somebody else");
        serve(RelayIT::echo);
        start("dpu", comch(), to());
        ChildVm host = start("host", unix() + ",mode=0660,user=nobody,group=4711", comch());
        try (SocketChannel channel = connect(host)) {
            Map<String, Object> file = Files.readAttributes(path(), "unix:owner,gid,permissions");
            assertThat(file.get("owner")).hasToString("nobody");
            assertThat(file.get("gid")).isEqualTo(4711);
            assertThat(file.get("permissions")).isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
            channel.write(ByteBuffer.wrap(new byte[] {1}));
            assertThat(Channels.newInputStream(channel).read()).isEqualTo(1);
        }
        host.terminate();
        assertThat(host.awaitEnd()).isZero();
        assertThat(path()).doesNotExist();
    }

    @Test
    void aSocketThatCannotBeGivenAwayIsNotMade() throws Exception {
        fails("there is no such user: take one that \"getent passwd\" shows", 1, unix() + ",user=no-such-one", comch());
        fails("there is no such group: take one that", 1, unix() + ",group=no-such-one", comch());
        fails("a mode is octal", 2, unix() + ",mode=999", comch());
        fails("is not mode=0660, user=NAME or group=NAME", 2, unix() + ",owner=nobody", comch());
        fails("are for a socket that is made, as FROM", 2, comch(), unix() + ",user=nobody");
        assumeTrue(!isRoot() || installed("setpriv"), "there is no setpriv to be root without its rights");
        List<String> as = isRoot() ? List.of("setpriv", "--bounding-set=-chown") : List.of();
        fails(as, "Operation not permitted): run as root, or leave user= out", 1, unix() + ",user=nobody", comch());
        try (Stream<Path> left = Files.list(folder)) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).noneMatch(file -> file.startsWith(".comch"));
        }
    }

    private void fails(String sentence, int status, String... arguments) throws Exception {
        fails(List.of(), sentence, status, arguments);
    }

    private void fails(List<String> as, String sentence, int status, String... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("relay"));
        all.addAll(List.of(arguments));
        ChildVm relay =
                children.start(as, folder, Map.of("DOCA_EMU_SIDE", "host"), Comch.class, all.toArray(new String[0]));
        assertThat(relay.awaitEnd()).as(relay.err()).isEqualTo(status);
        assertThat(relay.err().lines().filter(line -> line.startsWith("comch: ")))
                .singleElement()
                .asString()
                .contains(sentence);
    }

    @Test
    void aPortThatNobodyHasNamedIsTold() throws Exception {
        Map<String, String> side = Map.of("DOCA_EMU_SIDE", "host");
        ChildVm host = children.start(folder, side, Comch.class, "relay", "tcp:0", comch());
        assertThat(port(host)).isPositive();
    }

    @Test
    void whatCannotBeIsSaidInALine() throws Exception {
        fails("there is no pair", 2);
        fails("is alone", 2, comch());
        fails("an address is unix:PATH", 2, "udp:5", comch());
        fails("from 0 to 65535", 2, "tcp:x", comch());
        fails("one of the two, and only one, is comch:NAME", 2, "tcp:1", "tcp:2");
        fails("is there twice", 2, comch(), "tcp:1", comch(), "tcp:2");
        fails("port 0 is for what is listened at", 2, comch(), "tcp:0");
        fails("only one pair can have what there is once", 2, "-", comch(), "exec:cat", comch());
        Files.writeString(path(), "text");
        fails("is no socket: remove it", 1, unix(), comch());
        Files.delete(path());
        fails("there is no folder", 1, "unix:" + folder.resolve("no/socket"), comch());
        fails("in use: end what listens there", 1, to().replace("tcp:", "tcp:127.0.0.1:"), comch());
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(path()));
            fails("another program listens there", 1, unix(), comch());
        }
        String none = "x".repeat(64); // longer than a label of DNS: nobody is asked
        fails("cannot be listened on: there is no host " + none, 1, "tcp:" + none + ":0", comch());
        fails("running on the other side?", 1, "-W", "0.5", "-", comch());
        start("dpu", comch(), to());
        target.close();
        fails("(what the relay on the other side leads to)", 1, "-", comch());
    }

    /** The programs that people know, where they are installed; the others are in scripts/dev/relay.sh. */
    @Test
    void redis() throws Exception {
        assumeTrue(installed("redis-server") && installed("redis-benchmark"), "Redis is not installed");
        int port = target.getLocalPort();
        target.close();
        Process redis = new ProcessBuilder(
                        "redis-server", "--port", Integer.toString(port), "--save", "", "--appendonly", "no")
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("redis.log").toFile())
                .start();
        try {
            while (!accepts(port)) {
                assertThat(redis.isAlive()).isTrue();
                Thread.sleep(20);
            }
            start("dpu", comch(), "tcp:" + port);
            start("host", unix(), comch()).awaitError("listens at");
            assertThat(run("redis-cli", "-s", path().toString(), "set", "key", "value"))
                    .isEqualTo("OK\n");
            assertThat(run("redis-cli", "-s", path().toString(), "get", "key")).isEqualTo("value\n");
            for (String pipeline : List.of("1", "16")) {
                assertThat(run(
                                "redis-benchmark",
                                "-s",
                                path().toString(),
                                "-q",
                                "-c",
                                "50",
                                "-n",
                                "2000",
                                "-P",
                                pipeline,
                                "-t",
                                "set,get"))
                        .contains("GET: ")
                        .contains("requests per second");
            }
        } finally {
            redis.destroy();
        }
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
