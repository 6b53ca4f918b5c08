package io.github.comch4j.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.BatchSources;
import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.github.comch4j.Machine;
import io.github.comch4j.cli.copy.CopyLink;
import io.github.comch4j.cli.copy.CopyServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.io.ComchOutputChannel;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code comch cp}. */
@Timeout(180)
class CopyIT {
    private static final int SIZE = 3_000_001;

    @RegisterExtension
    private final ChildVms children = new ChildVms();

    private final String name = Machine.uniqueName();

    @TempDir
    private Path folder;

    private Path here;
    private Path there;

    @BeforeEach
    void makeFolders() throws IOException {
        here = Files.createDirectory(folder.resolve("here"));
        there = Files.createDirectory(folder.resolve("there"));
    }

    private ChildVm cp(String side, Object... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("cp", "--name", name));
        Stream.of(arguments).map(Object::toString).forEach(all::add);
        return children.start(
                folder, Map.of("DOCA_EMU_SIDE", side, "LC_ALL", "C.UTF-8"), Comch.class, all.toArray(new String[0]));
    }

    private ChildVm serve(Object... more) throws Exception {
        List<Object> all = new ArrayList<>(List.of("--serve", there));
        all.addAll(List.of(more));
        return cp("dpu", all.toArray()).awaitOutput("serves " + there);
    }

    /** Its last line on stderr. */
    private static String succeeded(ChildVm child) throws Exception {
        child.assertSuccess();
        return child.err().lines().reduce("", (first, second) -> second);
    }

    private static void failed(ChildVm child, String... sentences) throws Exception {
        assertThat(child.awaitEnd()).as(child.err()).isEqualTo(1);
        assertThat(child.err()).contains(sentences).doesNotContain("\tat ", "Exception");
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private void tree(Path at) throws IOException {
        Files.createDirectories(at.resolve("a/empty"));
        Files.write(at.resolve("a/large"), random(SIZE));
        Files.write(at.resolve("a/nothing"), new byte[0]);
        Files.writeString(at.resolve("a/ein schöner Name"), "x");
        for (int i = 0; i < 50; i++) {
            Files.writeString(at.resolve("a/" + i), "file " + i);
        }
        Files.setPosixFilePermissions(at.resolve("a/1"), PosixFilePermissions.fromString("rw-r-x---"));
        Files.setPosixFilePermissions(at.resolve("a/large"), PosixFilePermissions.fromString("r--------"));
        FileTime time = FileTime.from(Instant.ofEpochSecond(1_500_000_000, 123_456_000));
        Files.setLastModifiedTime(at.resolve("a/2"), time);
        Files.setLastModifiedTime(at.resolve("a"), time);
        Files.setPosixFilePermissions(at.resolve("a"), PosixFilePermissions.fromString("r-xr-xr-x"));
    }

    private static List<String> listing(Path at) throws IOException {
        List<String> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(at)) {
            for (Path file : files.sorted().toList()) {
                all.add(at.relativize(file) + " "
                        + PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS))
                        + " " + (file.equals(at) ? "" : Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS))
                        + " " + (Files.isRegularFile(file) ? Arrays.hashCode(Files.readAllBytes(file)) : ""));
            }
        }
        return all;
    }

    @Test
    void foldersGoThereAndBackAsTheyAre() throws Exception {
        tree(here);
        ChildVm server = serve();
        assertThat(succeeded(cp("host", "-v", "-r", here.resolve("a"), "dpu:")))
                .startsWith("comch: copied 53 of 53 files, 2.9 MiB of 2.9 MiB in ");
        assertThat(listing(there.resolve("a"))).isEqualTo(listing(here.resolve("a")));
        Path back = Files.createDirectory(folder.resolve("back"));
        assertThat(succeeded(cp("host", "-v", "-r", "dpu:/a", back))).startsWith("comch: copied 53 of 53 files");
        assertThat(listing(back.resolve("a"))).isEqualTo(listing(here.resolve("a")));
        assertThat(succeeded(cp("host", "-v", "-ru", "dpu:.", back)))
                .contains("53 of 53 files, 2.9 MiB of 2.9 MiB, 2.9 MiB of which were there,");
        assertThat(succeeded(cp("host", "-v", "-r", "dpu:a", folder.resolve("new"))))
                .contains("copied 53");
        assertThat(listing(folder.resolve("new"))).isEqualTo(listing(here.resolve("a")));
        server.terminate();
        assertThat(server.awaitEnd()).isEqualTo(128 + 15);
        assertThat(server.out()).contains("a client has put 53 files, 2.9 MiB", "a client has got 53 files, 2.9 MiB");
        for (Path each : List.of(here, there, back, folder.resolve("new"))) {
            try (Stream<Path> files = Files.walk(each)) {
                for (Path made : files.filter(Files::isDirectory).toList()) {
                    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwx------")); // to be removed
                }
            }
        }
    }

    /** The host serves, and the DPU copies: there the server of DOCA is. */
    @Test
    void theHostServesAsWell() throws Exception {
        Files.write(here.resolve("x"), random(SIZE));
        ChildVm server = cp("host", "--serve", there).awaitOutput("serves ");
        for (String target : List.of("y", "z")) {
            succeeded(cp("dpu", "-W", "60", here.resolve("x"), "host:" + target));
            assertThat(there.resolve(target)).hasBinaryContent(random(SIZE));
        }
        assertThat(server.isAlive()).isTrue();
        failed(cp("dpu", here.resolve("x"), "dpu:"), "this is the DPU's side: the other is host:");
    }

    @Test
    void aNameIsTakenAtTheEndAndWhatWasBegunIsGoneOnWith() throws Exception {
        byte[] bytes = random(SIZE);
        Files.write(here.resolve("x"), bytes);
        Files.writeString(there.resolve("x"), "before");
        Path part = there.resolve(".x.comch-part");
        ChildVm server = serve();

        Files.write(part, Arrays.copyOf(bytes, 1 << 20));
        assertThat(succeeded(cp("host", "-v", here.resolve("x"), "dpu:"))).contains(", 1 MiB of which were there,");
        assertThat(there.resolve("x")).hasBinaryContent(bytes);
        assertThat(part).doesNotExist();

        Files.write(part, new byte[1 << 20]); // of another file
        assertThat(succeeded(cp("host", "-v", here.resolve("x"), "dpu:"))).doesNotContain("were there");
        assertThat(there.resolve("x")).hasBinaryContent(bytes);
        assertThat(part).doesNotExist();

        Files.write(part, new byte[SIZE + 1]);
        succeeded(cp("host", "-v", here.resolve("x"), "dpu:"));
        assertThat(there.resolve("x")).hasBinaryContent(bytes);

        Files.write(here.resolve(".x.comch-part"), Arrays.copyOf(bytes, 100));
        Files.delete(here.resolve("x"));
        assertThat(succeeded(cp("host", "-v", "dpu:x", here))).contains(", 100 bytes of which were there,");
        assertThat(here.resolve("x")).hasBinaryContent(bytes);
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void whoIsKilledLeavesNoHalfFile() throws Exception {
        byte[] bytes = random(100_000_000);
        Files.write(here.resolve("x"), bytes);
        serve();
        ChildVm killed = cp("host", here.resolve("x"), "dpu:");
        Path part = there.resolve(".x.comch-part");
        while (!Files.exists(part) && killed.isAlive()) {
            Thread.sleep(1);
        }
        killed.kill();
        if (Files.exists(there.resolve("x"))) { // it was fast
            assertThat(there.resolve("x")).hasBinaryContent(bytes);
        }
        ChildVm again = cp("host", here.resolve("x"), "dpu:");
        while (again.awaitEnd() == 1) { // the server has not noticed yet
            failed(again, "somebody else");
            again = cp("host", here.resolve("x"), "dpu:");
        }
        succeeded(again);
        assertThat(there.resolve("x")).hasBinaryContent(bytes);
        assertThat(part).doesNotExist();
    }

    @Test
    void anInterruptEndsWithTheSummary() throws Exception {
        Files.write(here.resolve("x"), random(100_000_000));
        ChildVm server = serve();
        ChildVm client = cp("host", here.resolve("x"), "dpu:");
        while (!Files.exists(there.resolve(".x.comch-part")) && client.isAlive()) {
            Thread.sleep(1);
        }
        client.terminate();
        int status = client.awaitEnd();
        if (status != 0) { // it was not so fast
            assertThat(status).isEqualTo(128 + 15);
            assertThat(client.err())
                    .contains("comch: interrupted: 0 of 1 file, ", "; the same again goes on from there");
        }
        server.terminate();
        assertThat(server.awaitEnd()).isEqualTo(128 + 15);
    }

    @Test
    void nothingLeadsOutOfTheFolder() throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), "secret");
        Files.createSymbolicLink(there.resolve("out"), folder);
        Files.createSymbolicLink(there.resolve("link"), secret);
        Files.writeString(here.resolve("x"), "x");
        ChildVm server = serve();
        failed(cp("host", "dpu:../secret", here), "not the name of a file: ..");
        failed(cp("host", "dpu:out/secret", here), "is no folder, or a link");
        failed(cp("host", "dpu:link", here), "comch: link: not copied: is a link (-P copies links)");
        failed(cp("host", "-r", "dpu:out", here), "comch: out: not copied: is a link (-P copies links)");
        failed(cp("host", here.resolve("x"), "dpu:out/"), "no such folder there: /out");
        failed(cp("host", here.resolve("x"), "dpu:out/y"), "is no folder, or a link");
        failed(cp("host", here.resolve("x"), "dpu:../y"), "not the name of a file: ..");
        succeeded(cp("host", "-v", here.resolve("x"), "dpu:link")); // takes the link's place
        assertThat(there.resolve("link")).isRegularFile().isNotEqualTo(secret).hasContent("x");
        assertThat(secret).hasContent("secret");
        assertThat(here).isDirectoryNotContaining("glob:**/secret");
        assertThat(folder.resolve("y")).doesNotExist();
        assertThat(server.isAlive()).isTrue();
    }

    @Test
    void linksAreCopiedIfTheyStayBelow() throws Exception {
        Path tree = Files.createDirectories(here.resolve("d/e"));
        Files.writeString(here.resolve("d/x"), "x");
        Files.createSymbolicLink(tree.resolve("up"), Path.of("../x"));
        Files.createSymbolicLink(tree.resolve("beside"), Path.of("none"));
        Files.getFileAttributeView(tree.resolve("up"), BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(Instant.ofEpochSecond(1_500_000_000, 123_456_000)), null, null);
        ChildVm server = serve();
        assertThat(succeeded(cp("host", "-v", "-rP", here.resolve("d"), "dpu:")))
                .startsWith("comch: copied 3 of 3 files");
        assertThat(Files.readSymbolicLink(there.resolve("d/e/up"))).isEqualTo(Path.of("../x"));
        assertThat(there.resolve("d/e/up")).hasContent("x");
        assertThat(Files.getLastModifiedTime(there.resolve("d/e/up"), LinkOption.NOFOLLOW_LINKS)
                        .toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_500_000_000, 123_456_000));
        assertThat(Files.readSymbolicLink(there.resolve("d/e/beside"))).isEqualTo(Path.of("none"));
        succeeded(cp("host", "-rP", "dpu:d", here.resolve("new")));
        assertThat(Files.readSymbolicLink(here.resolve("new/e/up"))).isEqualTo(Path.of("../x"));
        succeeded(cp("host", "-rP", here.resolve("d"), "dpu:")); // once more, in their place

        Path out = Files.createDirectory(here.resolve("out"));
        Files.createSymbolicLink(out.resolve("absolute"), Path.of("/etc/passwd"));
        Files.createSymbolicLink(out.resolve("above"), Path.of("../../x"));
        Files.createSymbolicLink(out.resolve("through"), Path.of("e/../../../x"));
        failed(
                cp("host", "-rP", out, "dpu:"),
                "comch: out/absolute: not copied: is a link that leads out of the folder at the other end: /etc/passwd",
                "comch: out/above: not copied: is a link that leads out",
                "comch: out/through: not copied: is a link that leads out");
        assertThat(there.resolve("out")).isEmptyDirectory();
        failed(cp("host", "-r", here.resolve("d"), "dpu:"), "comch: d/e/up: not copied: is a link (-P copies links)");
        assertThat(server.isAlive()).isTrue();
    }

    private static byte[] message(char kind, CopyLink.Writing writing) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(kind);
            out.writeInt(0); // of no file
            writing.to(out);
        }
        return bytes.toByteArray();
    }

    private static byte[] record(char kind, int file, CopyLink.Writing writing) throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        writing.to(new DataOutputStream(rest));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeByte(kind);
        out.writeInt(file);
        out.writeInt(rest.size());
        rest.writeTo(out);
        return bytes.toByteArray();
    }

    private static byte[] entry(int file, String path, long size) throws IOException {
        return record('E', file, out -> {
            out.writeUTF(path);
            out.writeShort(0xffff);
            out.writeLong(0);
            out.writeInt(0);
            out.writeLong(size);
            out.writeBoolean(false);
        });
    }

    /** The next message but those that say that the other end is there. */
    private static ByteBuffer next(MessageSocket socket) {
        byte[] message = socket.receive(Machine.PATIENCE);
        while (message != null && message[0] == 'A') {
            message = socket.receive(Machine.PATIENCE);
        }
        return ByteBuffer.wrap(message == null ? new byte[] {'-'} : message);
    }

    private static String answer(MessageSocket socket) {
        return new String(next(socket).array(), UTF_8);
    }

    /** The stream to a consumer of the other end. */
    private static ComchOutputChannel stream(MessageSocket socket, EventLoop loop, ProgressEngine engine, int consumer)
            throws Exception {
        while (Arrays.stream(loop.call(() -> socket.connection().remoteConsumers()))
                .noneMatch(id -> id == consumer)) {
            Thread.sleep(1);
        }
        return ComchOutputChannel.open(socket.connection(), consumer, engine, 2, 1000);
    }

    private static void write(ComchOutputChannel stream, byte[]... records) throws IOException {
        for (byte[] each : records) {
            stream.write(ByteBuffer.wrap(each));
        }
    }

    /** A client that does not keep to what comch says. */
    @Test
    void aServerBelievesNothing() throws Exception {
        ChildVm server = serve();
        Machine.useEmulation();
        byte[] put = message('P', out -> {
            out.writeInt(CopyServer.VERSION);
            out.writeUTF("");
            out.writeBoolean(true);
        });
        try (Device host = Device.openHost(Machine.HOST);
                EventLoop loop = EventLoop.start("test")) {
            try (MessageSocket socket = MessageSocket.connect(loop, host, name, Machine.PATIENCE);
                    ProgressEngine engine = ProgressEngine.create().setTimeout(Machine.PATIENCE)) {
                socket.send(put, Machine.PATIENCE);
                ByteBuffer ready = next(socket);
                assertThat(ready.get()).isEqualTo((byte) 'R');
                ComchOutputChannel stream = stream(socket, loop, engine, ready.getInt(5));
                int file = 0;
                for (String path : List.of("../evil", "a/../../evil", "..", "", "/", "e\0vil", "there/../../evil")) {
                    write(stream, entry(++file, path, 0));
                    assertThat(answer(socket)).as(path).startsWith("X\0\0\0" + (char) file);
                }
                write(stream, entry(++file, "/evil", 0)); // below the folder
                assertThat(answer(socket)).startsWith("W\0\0\0\b");
                write(stream, record('F', file, out -> out.writeLong(0)), record('S', file, out -> out.writeLong(1)));
                assertThat(answer(socket)).startsWith("X\0\0\0\b").contains("its sums differ");
                write(stream, entry(++file, "x", Long.MAX_VALUE));
                assertThat(answer(socket)).startsWith("W");
                write(stream, record('F', file, out -> out.writeLong(77)));
                assertThat(answer(socket)).startsWith("X\0\0\0\0");
            }
            List<byte[]> records = new ArrayList<>(List.of(
                    record('F', 5, out -> out.writeLong(0)),
                    record('H', 1, out -> out.writeInt(-1)),
                    record('E', 1, out -> out.write(new byte[20])),
                    record('?', 1, out -> {}),
                    new byte[] {'E', 0, 0, 0, 1, -1, -1, -1, -1},
                    new byte[] {'B', 0, 0, 0, 1, -1, -1, -1, -1}));
            for (int i = 0; i < 10; i++) {
                records.add(random(900 + i));
            }
            for (byte[] each : records) {
                try (MessageSocket socket = MessageSocket.connect(loop, host, name, Machine.PATIENCE);
                        ProgressEngine engine = ProgressEngine.create().setTimeout(Machine.PATIENCE)) {
                    socket.send(put, Machine.PATIENCE);
                    write(stream(socket, loop, engine, next(socket).getInt(5)), entry(1, "x", 9), each);
                    assertThat(answer(socket)).startsWith("W\0\0\0\1");
                    assertThat(answer(socket)).startsWith("X\0\0\0");
                }
            }
            List<byte[]> nonsense = new ArrayList<>(List.of(
                    new byte[] {'P'},
                    new byte[] {'G', 0, 0, 0, 0, 0, 0, 0, 2, 0},
                    new byte[] {0},
                    message('A', out -> out.write(new byte[11])),
                    message('A', out -> out.write(new byte[] {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})),
                    message('P', out -> out.writeInt(CopyServer.VERSION + 1)),
                    message('G', out -> {
                        out.writeInt(CopyServer.VERSION);
                        out.write(new byte[3]);
                        out.writeInt(1);
                        out.writeInt(1);
                        out.writeInt(Integer.MAX_VALUE);
                    })));
            for (int i = 0; i < 20; i++) {
                byte[] bytes = random(100 + i);
                bytes[0] = (byte) "PG".charAt(i % 2);
                nonsense.add(bytes);
            }
            for (byte[] each : nonsense) {
                try (MessageSocket socket = MessageSocket.connect(loop, host, name, Machine.PATIENCE)) {
                    socket.send(each, Machine.PATIENCE);
                    assertThat(answer(socket)).startsWith("X");
                }
            }
        }
        Files.writeString(here.resolve("x"), "x");
        succeeded(cp("host", "-v", here.resolve("x"), "dpu:"));
        assertThat(server.isAlive()).isTrue();
        assertThat(server.err()).doesNotContain("\tat ");
        assertThat(there).isDirectoryNotContaining("glob:**/.*"); // nothing that was begun
        assertThat(folder.resolve("evil")).doesNotExist();
        assertThat(there.resolve("evil")).doesNotExist();
    }

    /** A server that does not keep to what comch says. */
    @Test
    void aClientBelievesNothing() throws Exception {
        Machine.useEmulation();
        try (Device dpu = Device.openDpu(Machine.DPU);
                EventLoop loop = EventLoop.start("test");
                ProgressEngine engine = ProgressEngine.create().setTimeout(Machine.PATIENCE);
                MessageServerSocket server =
                        MessageServerSocket.open(loop, dpu, dpu.openRepresentor(Machine.HOST), name)) {
            ChildVm client = cp("host", "-r", "dpu:x", here);
            MessageSocket socket = server.accept(Machine.PATIENCE);
            ByteBuffer get = next(socket);
            assertThat(get.get()).isEqualTo((byte) 'G');
            assertThat(answer(socket)).startsWith("N");
            socket.send(
                    message('T', out -> {
                        out.writeLong(-1);
                        out.writeLong(Long.MAX_VALUE);
                    }),
                    Machine.PATIENCE);
            try (ComchOutputChannel stream = stream(socket, loop, engine, get.getInt(12))) {
                write(stream, entry(1, "../evil\033[31m", 0));
                assertThat(answer(socket)).startsWith("X\0\0\0\1");
                write(stream, record('K', 0, out -> {
                    out.writeUTF("\033[31mred");
                    out.writeUTF("\007bell");
                }));
                write(stream, record('Z', 0, out -> {}));
                assertThat(answer(socket)).isEqualTo("O\0\0\0\0");
                assertThat(client.awaitEnd()).isEqualTo(1);
            }
            assertThat(client.err()).contains("?[31mred: not copied: ?bell").doesNotContain("\033", "\007", "\tat ");
            assertThat(folder).isDirectoryNotContaining("glob:**/evil*");
        }
    }

    /** As on a terminal: a bar with its rate, and no line of it elsewhere. */
    @Test
    void progressIsForTerminals() throws Exception {
        Files.write(here.resolve("x"), random(SIZE));
        serve();
        Path drawn = folder.resolve("drawn");
        String[] words = {"cp", "--name", name, here.resolve("x").toString(), "dpu:"};
        Process terminal = Pty.start(drawn, Map.of("DOCA_EMU_SIDE", "host"), Pty.line(words));
        assertThat(terminal.waitFor()).as(Files.readString(drawn)).isZero();
        assertThat(Files.readString(drawn))
                .containsPattern("100% \\[=+\\] 2/2 MiB \\(.*MiB/s")
                .containsPattern("comch: copied 1 of 1 file, 2.9 MiB of 2.9 MiB in .* MB/s");
        ChildVm plain = cp("host", here.resolve("x"), "dpu:");
        plain.assertSuccess();
        assertThat(plain.out() + plain.err()).doesNotContain("100%", "\r");
    }

    @Test
    void whatIsWrongIsSaid() throws Exception {
        Files.writeString(here.resolve("x"), "x");
        Files.createDirectory(here.resolve("d"));
        failed(cp("host", "-W", "3", here.resolve("x"), "dpu:"), "client finds no server");
        ChildVm server = serve("--read-only");
        failed(cp("host", here.resolve("x"), "dpu:"), "files can be read there, and not written");
        failed(cp("host", "dpu:none", here), "comch: none: not copied: is not there");
        failed(cp("host", here.resolve("none"), "dpu:"), "none: is not there");
        failed(cp("host", "dpu:x", here.resolve("none/")), "not there");
        server.close();
        failed(cp("host", here.resolve("x"), "host:"), "this is the host's side: the other is dpu:");
        serve();
        Files.createDirectory(there.resolve("x"));
        failed(cp("host", here.resolve("d"), "dpu:"), "comch: d: not copied: is a folder (-r copies folders)");
        failed(cp("host", here.resolve("x"), "dpu:"), "comch: x: not copied: is a folder at the other end");
        failed(cp("host", here.resolve("x"), here.resolve("d"), "dpu:none"), "no such folder there: /none");
        assertThat(cp("host", here.resolve("x"), here).awaitEnd()).isEqualTo(2);
        assertThat(cp("host", here.resolve("x")).awaitEnd()).isEqualTo(2);
        assertThat(cp("host", here.resolve("x"), "dpu:x", "dpu:").awaitEnd()).isEqualTo(2);
        assertThat(cp("dpu", "--serve", there, "x").awaitEnd()).isEqualTo(2);
    }

    /** A name is on the disk after what it names, whenever the machine stops: as the libc of the receiver sees it. */
    @Test
    void whatHasItsNameIsOnTheDisk() throws Exception {
        Path source = Files.writeString(folder.resolve("shim.c"), """
                #define _GNU_SOURCE
                #include <fcntl.h>
                #include <stdio.h>
                #include <stdlib.h>
                #include <sys/syscall.h>
                #include <unistd.h>

                static void note(const char *what, const char *path)
                {
                    int log = open(getenv("NOTES"), O_WRONLY | O_APPEND | O_CREAT, 0600);
                    dprintf(log, "%s %s\\n", what, path);
                    close(log);
                }

                int fsync(int fd)
                {
                    char link[64];
                    char path[4096] = "";
                    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
                    if (readlink(link, path, sizeof path - 1) > 0)
                        note("fsync", path);
                    return (int)syscall(SYS_fsync, fd);
                }

                int rename(const char *from, const char *to)
                {
                    note("rename", to);
                    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
                }
                """);
        Path shim = BatchSources.compile(folder.resolve("shim.so"), List.of(source.toString()));
        Path notes = folder.resolve("notes");
        String[] serve = {"cp", "--name", name, "--serve", there.toString()};
        children.start(
                        folder,
                        Map.of("DOCA_EMU_SIDE", "dpu", "LD_PRELOAD", shim.toString(), "NOTES", notes.toString()),
                        Comch.class,
                        serve)
                .awaitOutput("serves " + there);
        Path many = Files.createDirectory(here.resolve("many"));
        for (int i = 0; i < 500; i++) {
            Files.writeString(many.resolve("m" + i), "file " + i);
        }
        succeeded(cp("host", "-r", many, "dpu:"));
        List<String> all = Files.readAllLines(notes);
        for (int i = 0; i < 500; i++) {
            int forced = all.indexOf("fsync " + there + "/many/.m" + i + ".comch-part");
            int named = indexMatching(all, "rename .*/m" + i);
            assertThat(forced).isNotNegative().isLessThan(named);
            assertThat(all.lastIndexOf("fsync " + there + "/many")).isGreaterThan(named);
        }
        assertThat(all).contains("fsync " + there); // which names the folder
        assertThat(all.stream().filter(line -> line.equals("fsync " + there + "/many")))
                .hasSizeLessThan(250);
        Files.delete(notes);
        Files.writeString(here.resolve("file"), "some bytes");
        succeeded(cp("host", here.resolve("file"), "dpu:"));
        assertThat(Files.readAllLines(notes).stream().filter(line -> line.matches("fsync .*/there.*|rename .*/file")))
                .satisfiesExactly(
                        bytes -> assertThat(bytes).matches("fsync " + there + "/.*file.*"),
                        renamed -> assertThat(renamed).startsWith("rename"),
                        named -> assertThat(named).isEqualTo("fsync " + there));
    }

    private static int indexMatching(List<String> lines, String pattern) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).matches(pattern)) {
                return i;
            }
        }
        return -1;
    }

    private ChildVm faulty(String side, String faults, Object... arguments) throws Exception {
        List<String> all = new ArrayList<>(List.of("cp", "--name", name));
        Stream.of(arguments).map(Object::toString).forEach(all::add);
        Map<String, String> environment = Map.of("DOCA_EMU_SIDE", side, "LC_ALL", "C.UTF-8", "DOCA_EMU_FAULTS", faults);
        return children.start(folder, environment, Comch.class, all.toArray(new String[0]));
    }

    /** Whichever chunk of the stream it is: both ends say so, and the next copy succeeds. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 20})
    void aLostChunkEndsBoth(int chunk) throws Exception {
        Path tree = Files.createDirectory(here.resolve("d"));
        Files.writeString(tree.resolve("a"), "a");
        Files.write(tree.resolve("b"), random(SIZE * 2));
        String lost = "lose_recv=" + chunk + ":IO_FAILED";
        ChildVm server = faulty("dpu", lost, "--serve", there).awaitOutput("serves " + there);
        failed(cp("host", "-r", tree, "dpu:"), " of 2 files, ");
        server.awaitError("comch: a client: ");
        succeeded(cp("host", "-r", tree, "dpu:"));
        Path back = Files.createDirectory(here.resolve("back"));
        failed(faulty("host", lost, "-r", "dpu:d", back), " of 2 files, ");
        succeeded(cp("host", "-r", "dpu:d", back));
        assertThat(listing(back.resolve("d"))).isEqualTo(listing(tree));
    }

    /** With a limit for the length of files in the place of a disk that is full. */
    @Test
    void aFileThatFailsInTheMiddleIsTheOnlyOne() throws Exception {
        Path tree = Files.createDirectory(here.resolve("d"));
        List<String> small = List.of("a", "b", "y", "z");
        for (String each : small) {
            Files.writeString(tree.resolve(each), each);
        }
        Files.write(tree.resolve("large"), random(110_000_000));
        List<String> limit = List.of("prlimit", "--fsize=100000000");
        Map<String, String> dpu = Map.of("DOCA_EMU_SIDE", "dpu", "LC_ALL", "C.UTF-8");
        ChildVm server = children.start(
                        limit, folder, dpu, Comch.class, "cp", "--name", name, "--serve", there.toString())
                .awaitOutput("serves " + there);
        failed(cp("host", "-v", "-r", tree, "dpu:"), "comch: d/large: not copied: File too large", "4 of 5 files");
        assertThat(there.resolve("d").toFile().list()).containsExactlyInAnyOrderElementsOf(small);
        server.terminate();
        server.awaitEnd();

        Files.write(tree.resolve("large"), random(300_000_000)); // long enough to be met in the middle
        there = tree;
        serve();
        Path back = Files.createDirectory(folder.resolve("back"));
        ChildVm client = cp("host", "-v", "-r", "dpu:.", back);
        while (!Files.exists(back.resolve(".large.comch-part")) && client.isAlive()) {
            Thread.sleep(1);
        }
        // It has made its shared memory, a longer file; it stands still until the limit is there.
        String limited = "kill -STOP $0 && prlimit --fsize=100000000 --pid $0 && kill -CONT $0";
        String pid = Long.toString(client.handle().pid());
        assertThat(new ProcessBuilder("sh", "-c", limited, pid).start().waitFor())
                .isZero();
        failed(client, "comch: large: not copied: File too large", "4 of 5 files");
        assertThat(back.toFile().list()).containsExactlyInAnyOrderElementsOf(small);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFileThatShrinksIsTheOnlyOneThatFails(boolean put) throws Exception {
        Path from = put ? here : there;
        Path to = put ? there : here;
        Files.writeString(from.resolve("a"), "a");
        Files.writeString(from.resolve("z"), "z");
        Path large = Files.write(from.resolve("large"), random(200_000_000));
        serve();
        ChildVm client = put ? cp("host", "-v", "-r", from + "/.", "dpu:") : cp("host", "-v", "-r", "dpu:.", to);
        while (!Files.exists(to.resolve(".large.comch-part")) && client.isAlive()) {
            Thread.sleep(1);
        }
        try (FileChannel shrunk = FileChannel.open(large, StandardOpenOption.WRITE)) {
            shrunk.truncate(1000);
        }
        failed(client, "comch: large: not copied: became shorter while it was copied", "2 of 3 files");
        assertThat(to.toFile().list()).containsExactlyInAnyOrder("a", "z");
    }

    /** As by Ctrl-C, whatever the command waits for. */
    @Test
    void anInterruptEndsEveryWait() throws Exception {
        Files.write(here.resolve("x"), random(1000));
        ChildVm early = cp("host", "-W", "100", here.resolve("x"), "dpu:");
        early.awaitLibrary("libdoca_comch");
        interrupted(early);
        ChildVm server = serve();
        ChildVm client = cp("host", here.resolve("x"), "dpu:nothing/");
        failed(client, "no such folder there: /nothing");
        signal(server, "STOP");
        client = cp("host", "-W", "100", here.resolve("x"), "dpu:");
        client.awaitLibrary("libdoca_comch");
        Thread.sleep(1000); // whether it is connected by then or not
        interrupted(client);
        signal(server, "CONT");
        succeeded(cp("host", here.resolve("x"), "dpu:"));
    }

    private static void signal(ChildVm child, String signal) throws Exception {
        String pid = Long.toString(child.handle().pid());
        assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor())
                .isZero();
    }

    private static void interrupted(ChildVm child) throws Exception {
        long began = System.nanoTime();
        child.terminate();
        assertThat(child.awaitEnd()).isEqualTo(128 + 15);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9)); // it was ten
    }

    @Test
    void whoCopiesIsToldThatTheServerEnds() throws Exception {
        Files.write(here.resolve("x"), random(300_000_000));
        for (boolean killed : List.of(false, true)) {
            Files.deleteIfExists(there.resolve(".x.comch-part")); // from which the second copy would go on
            ChildVm server = serve();
            ChildVm client = cp("host", here.resolve("x"), "dpu:");
            while (!Files.exists(there.resolve(".x.comch-part")) && client.isAlive()) {
                Thread.sleep(1);
            }
            if (killed) {
                server.kill();
            } else {
                server.terminate();
                assertThat(server.awaitEnd()).isEqualTo(128 + 15);
            }
            failed(client, killed ? "comch: the other side has gone: 0 of 1" : "the other end was interrupted: 0 of 1");
        }
    }

    @Test
    void holesStayHoles() throws Exception {
        byte[] bytes = random(10_000);
        try (RandomAccessFile file = new RandomAccessFile(here.resolve("x").toFile(), "rw")) {
            file.seek(50_000_123);
            file.write(bytes);
            file.setLength(100_000_000);
        }
        serve();
        succeeded(cp("host", here.resolve("x"), "dpu:"));
        succeeded(cp("host", "dpu:x", here.resolve("y")));
        for (Path copy : List.of(there.resolve("x"), here.resolve("y"))) {
            assertThat(Files.mismatch(here.resolve("x"), copy)).isEqualTo(-1);
            Process stat = new ProcessBuilder("stat", "-c", "%b", copy.toString()).start();
            assertThat(Integer.parseInt(stat.inputReader().readLine())).isLessThan(1000); // of 512 bytes
        }
    }

    @Test
    void aNameThatIsNoTextIsSaidToBe() throws Exception {
        Path tree = Files.createDirectory(here.resolve("d"));
        String[] make = {"sh", "-c", "echo x >\"$(printf 'not\\377text')\" && echo y >y"};
        assertThat(new ProcessBuilder(make).directory(tree.toFile()).start().waitFor())
                .isZero();
        serve();
        failed(cp("host", "-v", "-r", tree, "dpu:"), ": not copied: the locale cannot express its name", "1 of 1 file");
        assertThat(there.resolve("d").toFile().list()).containsExactly("y");
    }
}
