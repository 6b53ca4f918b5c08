package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.ChildVm;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code comch relay} where the folder of the emulated machine is a small file system, and full. */
@Timeout(180)
class RelayFullFolderIT extends RelayProcesses {
    private Process namespace; // that has the file system mounted

    @AfterEach
    void end() {
        if (namespace != null) {
            namespace.destroy();
        }
    }

    /** Returns the folder's path as this process sees it. */
    private Path mount(Path machine) throws IOException {
        namespace = new ProcessBuilder(
                        "unshare",
                        "--map-root-user",
                        "--mount",
                        "sh",
                        "-c",
                        "mount -t tmpfs -o mode=700,size=64k,nr_inodes=16 none \"$0\" && echo mounted && exec cat",
                        machine.toString())
                .redirectErrorStream(true)
                .start();
        String said = namespace.inputReader().readLine();
        assumeTrue("mounted".equals(said), "no mount namespaces for this user here: " + said);
        return Path.of("/proc/" + namespace.pid() + "/root" + machine);
    }

    private ChildVm startThere(String side, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(List.of("relay"));
        all.addAll(List.of(arguments));
        String pid = Long.toString(namespace.pid());
        Path here = Path.of("").toAbsolutePath();
        return children.start(
                List.of("nsenter", "--preserve-credentials", "--user", "--mount", "--target", pid, "--wd=" + here),
                folder,
                Map.of(
                        "DOCA_EMU_SIDE",
                        side,
                        "DOCA_EMU_DIR",
                        folder.resolve("machine").toString()),
                Comch.class,
                all.toArray(new String[0]));
    }

    private static List<Path> fill(Path machine) {
        List<Path> made = new ArrayList<>();
        try {
            for (; ; ) {
                made.add(Files.createFile(machine.resolve("filler" + made.size())));
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
        assertThat(made).isNotEmpty();
        return made;
    }

    private static void echoes(Socket socket) throws IOException {
        socket.getOutputStream().write(7);
        assertThat(socket.getInputStream().read()).isEqualTo(7);
    }

    /** As soon as the other relay is there. */
    private static Socket served(int port) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (true) {
            Socket socket = connect(port);
            try {
                echoes(socket);
                return socket;
            } catch (IOException e) {
                socket.close();
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    @Test
    void clientsAreTurnedAwayUntilThereIsRoom() throws Exception {
        serve(RelayProcesses::echo);
        Path machine = mount(Files.createDirectory(folder.resolve("machine")));
        ChildVm host = startThere("host", "-v", "-W", "2", "tcp:0", comch());
        int port = port(host);
        List<Path> fillers = fill(machine);
        ChildVm without = startThere("dpu", comch(), to());
        assertThat(without.awaitEnd()).as(without.err()).isEqualTo(1);
        assertThat(without.err().lines().filter(line -> line.startsWith("comch: ")))
                .singleElement()
                .asString()
                .contains(comch() + " cannot be served: ", "No space left on device");
        try (Socket socket = connect(port)) {
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("reset");
        }
        host.awaitError("a client was turned away: ");
        for (Path filler : fillers) {
            Files.delete(filler);
        }
        ChildVm dpu = startThere("dpu", comch(), to());
        try (Socket before = served(port)) {
            fill(machine); // connections have memory of their own
            echoes(before);
            try (Socket another = connect(port);
                    Socket onAnotherConnection =
                            connect(port(startThere("host", "-v", "-W", "60", "tcp:0", comch())))) {
                echoes(another);
                echoes(onAnotherConnection);
            }
        }
        assertThat(host.isAlive() && dpu.isAlive()).isTrue();
    }
}
