package io.github.comch4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.cli.fabric.Descriptor;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.interop.Sdk;
import io.github.comch4j.management.MBeans;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code comch top} and {@code comch list}, of a machine of their own. */
@Timeout(180)
class TopIT {
    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private Path fabric;

    @BeforeEach
    void makeFabric() throws IOException {
        fabric = Files.createDirectory(folder.resolve("fabric"));
        Files.setPosixFilePermissions(fabric, PosixFilePermissions.fromString("rwx------"));
    }

    private ChildVm comch(String side, String... arguments) throws Exception {
        return children.start(
                folder, Map.of("DOCA_EMU_SIDE", side, "DOCA_EMU_DIR", fabric.toString()), Comch.class, arguments);
    }

    private String output(String... arguments) throws Exception {
        ChildVm child = comch("host", arguments);
        child.assertSuccess();
        return child.out();
    }

    /** As ss has it: nothing is no failure. */
    @Test
    void aMachineThatNobodyHasUsedIsEmpty() throws Exception {
        Files.delete(fabric);
        assertThat(output("list").lines()).singleElement().asString().startsWith("SERVER ");
        assertThat(output("list", "--json")).contains("\"servers\": []", "\"connections\": []");
        assertThat(output("top", "--once", "-i", "0.01")).startsWith(fabric + ": 0 servers, 0 connections\n");
    }

    @Test
    void serversAndWhoIsConnected() throws Exception {
        assertThat(output("list").lines()).singleElement().asString().startsWith("SERVER ");
        ChildVm server = comch("dpu", "serve", "--name", name).awaitOutput(name);
        comch("dpu", "serve", "--name", "other one", "--representor", "0000:b1:00.2")
                .awaitOutput("serves");
        ChildVm client =
                comch("host", "ping", "--name", name, "-c", "0", "-i", "0.01").awaitOutput("seq=3 ");
        String pid = Long.toString(client.handle().pid());
        String serving = Long.toString(server.handle().pid());
        assertThat(output("list"))
                .containsPattern(name + " +0000:b1:00.0 +" + serving + " +Comch serve +1\n")
                .containsPattern("other one +0000:b1:00.2 +\\d+ +Comch serve +0\n")
                .containsPattern("\n" + pid + " +Comch ping +" + name + " +0000:b1:00.0 +" + serving);
        assertThat(output("list", "--json"))
                .contains("\"name\": \"" + name + "\"", "\"connections\": 1", "\"pid\": " + pid, "\"pid\": " + serving);
        server.terminate();
        server.awaitEnd();
        assertThat(output("list")).doesNotContain(name);
    }

    @Test
    void ratesOnceAndForPrograms() throws Exception {
        comch("dpu", "serve", "--name", name).awaitOutput(name);
        comch("host", "ping", "--name", name, "-c", "0", "-f").awaitOutput("connected");
        String json = output("top", "--once", "--json", "-i", "0.5");
        assertThat(json)
                .containsPattern("\"toServer\": \\{\\s+\"messages\": [1-9]\\d*,\\s+\"bytes\": [1-9]")
                .containsPattern("\"messagesPerSecond\": [1-9]")
                .contains("\"producers\": 0", "\"consumers\": []", "\"stuck\": \"\"");
        assertThat(output("top", "--once", "-i", "0.2"))
                .startsWith(fabric + ": 1 server, 1 connection\n")
                .contains("MSG/S", name, "0000:b1:00.0")
                .doesNotContain("\033");
    }

    @Test
    void producersAndConsumers() throws Exception {
        ChildVm server =
                comch("dpu", "cp", "--serve", folder.toString(), "--name", name).awaitOutput("serves");
        Path file = folder.resolve("x");
        try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
            large.write(1); // of zeros nothing is written there
            large.setLength(1L << 40); // sparse, and more than is copied before the server is stopped
        }
        ChildVm client = comch("host", "cp", "--name", name, file.toString(), "dpu:y");
        while (!Files.exists(folder.resolve(".y.comch-part")) || Files.size(folder.resolve(".y.comch-part")) == 0) {
            assertThat(client.isAlive()).as(client.err()).isTrue();
            Thread.sleep(10);
        }
        new ProcessBuilder("kill", "-STOP", Long.toString(server.handle().pid()))
                .start()
                .waitFor();
        String json = output("top", "--once", "--json", "-i", "0.3");
        new ProcessBuilder("kill", "-CONT", Long.toString(server.handle().pid()))
                .start()
                .waitFor();
        client.kill();
        assertThat(json)
                .contains(
                        "\"state\": \"running\"",
                        "\"producers\": 1",
                        "\"stuck\": \"" + server.handle().pid() + " is stopped\"")
                .containsPattern("\"capacity\": [1-9]")
                .containsPattern("\"received\": [1-9]");
    }

    /** A program that has registered the beans. */
    static final class Registered {
        private Registered() {}

        public static void main(String[] arguments) throws Exception {
            try (ProgressEngine engine = ProgressEngine.create();
                    MBeans beans = MBeans.register()) {
                System.out.println("registered " + beans.getClass().getSimpleName());
                while (System.in.available() == 0) {
                    engine.progress();
                }
            }
        }
    }

    @Test
    void theBeansOfAJvm() throws Exception {
        ChildVm jvm = children.start(folder, Map.of("DOCA_EMU_DIR", fabric.toString()), Registered.class);
        String pid = Long.toString(jvm.awaitOutput("registered").handle().pid());
        assertThat(output("top", "--once", "-i", "0.2", "--pid", pid))
                .contains(pid + ": 1 beans", "type=ProgressEngine,id=")
                .containsPattern("Polls +[1-9]\\d* +[1-9]");
        assertThat(output("top", "--once", "--json", "-i", "0.2", "--pid", pid)).containsPattern("\"Polls\": [1-9]");
        comch("host", "top", "--once", "--pid", "999999999").assertFailure("999999999 cannot be looked into");
    }

    /** A process with memory, and a folder with files, that are not what they seem to be. */
    @Test
    void nothingIsBelieved() throws Exception {
        Files.write(fabric.resolve("short.lock"), "\033[31mevil\n".getBytes(UTF_8));
        Files.write(fabric.resolve("0000:b1:00.0-0.lock"), new byte[1 << 20]);
        Files.createSymbolicLink(fabric.resolve("link.lock"), Path.of("/dev/zero"));
        new ProcessBuilder("mkfifo", fabric.resolve("fifo.lock").toString())
                .start()
                .waitFor();
        String program = """
                import ctypes, os, time
                name = b'doca-emu-connection'
                sizes = [0, 100, 12884901888, 1 << 40]
                for size in sizes:
                    fd = os.memfd_create('doca-emu-connection')
                    os.ftruncate(fd, size)
                    if size > 1000:
                        os.pwrite(fd, os.urandom(40000), 0)
                        for side in range(2):
                            label = 2 * 18624 + 192 * side
                            os.pwrite(fd, (9).to_bytes(4, 'little') + b'\\xff' * 12 + b'0000:b1:00.0' + bytes(4)
                                      + b'\\x1b[31mevil\\n' + bytes(100), label)
                        for slot in range(256):
                            os.pwrite(fd, b'\\xff' * 320, 150994944 + slot * 49741824)
                locks = [os.open(sys_fabric + '/short.lock', os.O_RDONLY),
                         os.open(sys_fabric + '/0000:b1:00.0-0.lock', os.O_RDONLY)]
                print('ready', flush=True)
                time.sleep(100)
                """.replace("sys_fabric", "'" + fabric + "'");
        Path printed = folder.resolve("printed");
        Process hostile = new ProcessBuilder("python3", "-c", program)
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            while (!Files.readString(printed).contains("ready")) {
                assertThat(hostile.isAlive()).as(Files.readString(printed)).isTrue();
                Thread.sleep(10);
            }
            assertThat(output("list") + output("top", "--once", "-i", "0.1"))
                    .contains("?[31mevil?")
                    .doesNotContain("\033");
            assertThat(output("top", "--once", "--json", "-i", "0.1")).contains("\"unread\": ");
        } finally {
            hostile.destroyForcibly();
        }
    }

    /** Through the keyboard of a terminal, which is left as it was. */
    @Test
    void keys() throws Exception {
        comch("dpu", "serve", "--name", name).awaitOutput(name);
        Path drawn = folder.resolve("drawn");
        String[] top = {"top", "-i", "0.1", "--sort", "bytes", "--fabric", fabric.toString()};
        Process terminal = Pty.start(drawn, Map.of(), Pty.line(top) + "; stty -a");
        try (OutputStream keyboard = terminal.getOutputStream()) {
            await(drawn, terminal, "s: sort by waiting");
            keyboard.write('s');
            keyboard.flush();
            await(drawn, terminal, "s: sort by buffers");
            keyboard.write('q');
            keyboard.flush();
            await(drawn, terminal, " icanon");
        }
        terminal.waitFor();
        assertThat(Files.readString(drawn)).doesNotContain("Exception");
    }

    private static void await(Path file, Process process, String text) throws Exception {
        while (!Files.readString(file).contains(text)) {
            assertThat(process.isAlive()).as(Files.readString(file)).isTrue();
            Thread.sleep(20);
        }
    }

    /** With libraries that have that API, whose connections have memory of their own. */
    @Test
    void connectionsOfTheEndpointApi() throws Exception {
        String library = Sdk.install("2.5").libraries().toString();
        String[] effort = {"-s", "1000", "-n", "100", "--library", library};
        ChildVm server = comch("dpu", words(effort, "sample", "secure-channel-server", "-r", "b1:00.0"))
                .awaitOutput("Started Listening");
        ChildVm client = comch("host", words(effort, "sample", "secure-channel-client", "-p", "b1:00.0"));
        String pid = Long.toString(client.handle().pid());
        String serving = Long.toString(server.handle().pid());
        while (!output("list").contains("\n" + pid + " ")) {
            assertThat(client.isAlive()).as(client.err()).isTrue();
        }
        String seen = "";
        while (!seen.matches("(?s).*\"messages\": 100,.*\"messages\": 100,.*")) {
            assertThat(client.isAlive()).as(client.err() + seen).isTrue();
            seen = output("top", "--once", "--json", "-i", "0.1");
        }
        assertThat(seen)
                .containsPattern(
                        "\"toServer\": \\{\\s+\"messages\": 100,\\s+\"bytes\": 1[0-9]{5},\\s+\"waitingBytes\": 0")
                .contains("\"unread\": 0");
        String listed = output("list");
        assertThat(listed)
                .containsPattern("\n" + pid + " +Comch sample +secure_channel_server +0000:b1:00.0 +" + serving);
        assertThat(listed.lines()
                        .filter(line ->
                                line.matches("secure_channel_server +0000:b1:00.0 +" + serving + " +Comch sample +1")))
                .hasSize(1);
        client.terminate();
        server.terminate();
    }

    /** Also where its libraries were installed as an SDK's. */
    @Test
    void anInstalledEmulatedMachine() throws Exception {
        comch("dpu", "serve", "--name", name).awaitOutput(name);
        assertThat(output("list", "--library", Sdk.install().libraries().toString()))
                .contains(name);
    }

    /** With libraries that do not say that they are an emulation, DOCA's own program tells. */
    @Test
    void anSdk() throws Exception {
        Path libraries = Files.createDirectory(folder.resolve("lib"));
        for (String file : List.of("libdoca_common.so", "libdoca_comch.so")) {
            String bytes = Files.readString(Sdk.install().libraries().resolve(file), StandardCharsets.ISO_8859_1);
            Files.writeString(
                    libraries.resolve(file),
                    bytes.replace("doca_emu_set_faults", "doca_sdk_set_faults"),
                    StandardCharsets.ISO_8859_1);
        }
        String[] list = {"list", "--library", libraries.toString()};
        comch("host", list)
                .assertFailure(
                        "only DOCA's doca_comm_channel_admin can tell, and it is not installed here, neither on");
        Path admin = Files.writeString(
                folder.resolve("doca_comm_channel_admin"), "#!/bin/sh\necho the servers, $#\nexit $STATUS\n");
        Files.setPosixFilePermissions(admin, PosixFilePermissions.fromString("rwx------"));
        for (int status : new int[] {0, 3}) {
            Map<String, String> environment =
                    Map.of("PATH", folder + ":" + System.getenv("PATH"), "STATUS", Integer.toString(status));
            ChildVm listing = children.start(folder, environment, Comch.class, list);
            assertThat(listing.awaitEnd()).isEqualTo(status == 0 ? 0 : 1);
            assertThat(listing.out()).isEqualTo("the servers, 0\n");
        }
        comch("host", words(new String[] {"--json"}, list))
                .assertFailure(
                        "--json is of an emulated machine: doca_comm_channel_admin, which tells it here, has none");
    }

    private static String[] words(String[] last, String... first) {
        return Stream.concat(Stream.of(first), Stream.of(last)).toArray(String[]::new);
    }

    /** Neither is opened for reading, as its other end would be waited for. */
    @Test
    void aFifoIsNotWaitedFor() throws Exception {
        Path fifo = folder.resolve("fifo");
        new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor();
        try (Descriptor held = Descriptor.held(fifo)) {
            assertThatThrownBy(held::read).isInstanceOf(IOException.class).hasMessageContaining("is no file");
        }
        Path file = Files.writeString(folder.resolve("file"), "bytes");
        try (Descriptor held = Descriptor.held(file)) {
            Files.move(fifo, file, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel open = held.read()) {
                assertThat(open.size()).isEqualTo(5);
            }
        }
    }

    /** As on a terminal: the screen is drawn again, until Ctrl-C. */
    @Test
    void aScreenThatIsDrawnAgain() throws Exception {
        drawnUntilCtrlC(Map.of());
    }

    /** A stty that is ended by Ctrl-C fails in the same way. */
    @Test
    void aTerminalThatCannotBeSetHasNoKeys() throws Exception {
        Path stty = Files.writeString(
                folder.resolve("stty"),
                "#!/bin/sh\ncase \"$*\" in *-icanon*) exit 1;; esac\nexec /usr/bin/stty \"$@\"\n");
        Files.setPosixFilePermissions(stty, PosixFilePermissions.fromString("rwx------"));
        assertThat(drawnUntilCtrlC(Map.of("PATH", folder + ":" + System.getenv("PATH"))))
                .doesNotContain("sort by");
    }

    /** Who is stuck is what one looks for, and the last column. */
    @Test
    void aNarrowTerminalShowsWhoIsStuck() throws Exception {
        ChildVm server =
                comch("dpu", "serve", "--name", name + ", of a long name").awaitOutput(name);
        new ProcessBuilder("kill", "-STOP", Long.toString(server.handle().pid()))
                .start()
                .waitFor();
        for (int columns : new int[] {40, 80}) {
            Path drawn = folder.resolve("drawn " + columns);
            Process terminal = Pty.start(
                    drawn,
                    Map.of(),
                    "stty cols " + columns + " rows 20; "
                            + Pty.line("top", "-i", "0.1", "--fabric", fabric.toString()));
            try (OutputStream keyboard = terminal.getOutputStream()) {
                // three heads: the two screens between them are whole
                while (Files.readString(drawn).split("SERVER", -1).length < 4) {
                    assertThat(terminal.isAlive()).as(Files.readString(drawn)).isTrue();
                    Thread.sleep(20);
                }
                keyboard.write('q');
                keyboard.flush();
                terminal.waitFor();
            }
            assertThat(Files.readString(drawn))
                    .containsPattern("SERVER .*STUCK")
                    .contains(server.handle().pid() + " is stopped");
        }
    }

    private String drawnUntilCtrlC(Map<String, String> environment) throws Exception {
        comch("dpu", "serve", "--name", name).awaitOutput(name);
        Path drawn = folder.resolve("drawn");
        String top = Pty.line("top", "-i", "0.1", "--fabric", fabric.toString());
        // some shells end with Ctrl-C themselves
        Process terminal = Pty.start(drawn, environment, "trap : INT; " + top + "; echo status $?");
        try (OutputStream keyboard = terminal.getOutputStream()) {
            Pattern twice = Pattern.compile("(?s)\033\\[H\033\\[2J.*" + name + ".*\033\\[H\033\\[2J.*" + name);
            while (!twice.matcher(Files.readString(drawn)).find()) {
                assertThat(terminal.isAlive()).as(Files.readString(drawn)).isTrue();
                Thread.sleep(20);
            }
            keyboard.write(3);
            keyboard.flush();
            terminal.waitFor();
        }
        String all = Files.readString(drawn);
        assertThat(all).doesNotContain("Exception", "Error").contains("status");
        return all;
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        comch("host", "list", "--fabric", "/none").assertFailure("there is no fabric folder /none");
        comch("host", "top", "--fabric", "/none").assertFailure("there is no fabric folder /none");
        assertThat(comch("host", "top", "--json").awaitEnd()).isEqualTo(2);
    }
}
