package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.comch4j.Machine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JDBC driver of PostgreSQL, which takes the name of a socket factory, with a server behind Comch. */
@Timeout(300)
class PostgresIT {
    private static final String SERVICE = Machine.uniqueName();

    private static Path folder;
    private static Process database;
    private static ServerSocket comch;
    private static int port;

    static {
        Machine.useEmulation();
    }

    @BeforeAll
    static void start() throws Exception {
        Path programs = programs();
        assumeTrue(programs != null, "no PostgreSQL is installed: apt-get install postgresql");
        assumeTrue(!isRoot() || succeeds("id", "postgres"), "PostgreSQL does not run as root, and has no user here");
        assumeTrue(succeeds("openssl", "version"), "no openssl is installed, for a certificate");
        folder = Files.createTempDirectory("comch4j-postgres");
        if (isRoot()) {
            run("chown", "postgres", folder.toString());
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path data = folder.resolve("data");
        runAsUser(
                programs.resolve("initdb").toString(),
                "-D",
                data.toString(),
                "-U",
                "test",
                "-A",
                "trust",
                "--no-locale");
        runAsUser(
                "openssl",
                "req",
                "-new",
                "-x509",
                "-days",
                "30",
                "-nodes",
                "-subj",
                "/CN=localhost",
                "-out",
                data + "/server.crt",
                "-keyout",
                data + "/server.key");
        database = asUser(
                        programs.resolve("postgres").toString(),
                        "-D",
                        data.toString(),
                        "-p",
                        Integer.toString(port),
                        "-c",
                        "ssl=on",
                        "-c",
                        "fsync=off",
                        "-c",
                        "listen_addresses=127.0.0.1",
                        "-c",
                        "unix_socket_directories=" + folder)
                .start();
        comch = new ComchServerSocketFactory(SERVICE).createServerSocket(0);
        Thread.startVirtualThread(PostgresIT::relay);
        awaitDatabase();
    }

    private static Path programs() throws IOException {
        Path all = Path.of("/usr/lib/postgresql");
        if (!Files.isDirectory(all)) {
            return null;
        }
        try (Stream<Path> versions = Files.list(all)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                    .findFirst()
                    .orElse(null);
        }
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static ProcessBuilder asUser(String... command) {
        List<String> all = new ArrayList<>(
                isRoot() ? List.of("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups") : List.of());
        all.addAll(List.of(command));
        return new ProcessBuilder(all)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new java.io.File("/dev/null")));
    }

    private static void runAsUser(String... command) throws Exception {
        assertThat(asUser(command).start().waitFor())
                .as(String.join(" ", command))
                .isZero();
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    private static boolean succeeds(String... command) throws InterruptedException {
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** What `comch relay` does on the DPU. */
    private static void relay() {
        while (!comch.isClosed()) {
            try {
                Socket stream = comch.accept();
                Socket target = new Socket(InetAddress.getLoopbackAddress(), port);
                Thread.startVirtualThread(() -> copy(stream, target));
                Thread.startVirtualThread(() -> copy(target, stream));
            } catch (IOException e) {
                // closed, or the database is not there yet: who has asked is told by an end
            }
        }
    }

    private static void copy(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
        } catch (IOException e) {
            closeBoth(from, to);
        }
    }

    private static void closeBoth(Socket one, Socket other) {
        for (Socket each : List.of(one, other)) {
            try {
                each.close();
            } catch (IOException e) {
                // it is of no use any more
            }
        }
    }

    private static void awaitDatabase() throws Exception {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (true) {
            try (Socket probe = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(probe.isConnected()).isTrue();
                return;
            } catch (IOException e) {
                assertThat(database.isAlive()).isTrue();
                assertThat(System.nanoTime() - deadline).isNegative();
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
    }

    @AfterAll
    static void stop() throws Exception {
        if (comch != null) {
            comch.close();
        }
        if (database != null) {
            database.destroy();
            assertThat(database.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
        if (folder != null) {
            run("rm", "-r", folder.toString());
        }
    }

    private static Connection connect(String tls) throws SQLException {
        return DriverManager.getConnection("jdbc:postgresql://localhost/postgres?user=test&sslmode=" + tls
                + "&socketFactory=" + ComchSocketFactory.class.getName() + "&socketFactoryArg=" + SERVICE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"disable", "require"})
    void aDatabaseIsUsed(String tls) throws SQLException {
        try (Connection connection = connectWhenUp(tls);
                Statement statement = connection.createStatement()) {
            try (ResultSet encrypted =
                    statement.executeQuery("select ssl from pg_stat_ssl where pid = pg_backend_pid()")) {
                assertThat(encrypted.next()).isTrue();
                assertThat(encrypted.getBoolean(1)).isEqualTo(tls.equals("require"));
            }
            statement.execute("create temporary table numbers (n int, text text)");
            try (PreparedStatement insert = connection.prepareStatement("insert into numbers values (?, ?)")) {
                for (int i = 0; i < 1000; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "row " + i);
                    insert.addBatch();
                }
                assertThat(insert.executeBatch()).hasSize(1000);
            }
            try (ResultSet sum = statement.executeQuery("select sum(n), repeat('x', 2000000) from numbers")) {
                assertThat(sum.next()).isTrue();
                assertThat(sum.getInt(1)).isEqualTo(499_500);
                assertThat(sum.getString(2)).hasSize(2_000_000);
            }
        }
    }

    /** A server that has just begun turns clients away for a moment. */
    private static Connection connectWhenUp(String tls) throws SQLException {
        long deadline = System.nanoTime() + Machine.PATIENCE.toNanos();
        while (true) {
            try {
                return connect(tls);
            } catch (SQLException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
        }
    }

    @Test
    void connectionsComeAndGo() throws SQLException {
        connectWhenUp("disable").close();
        for (int i = 0; i < 50; i++) {
            try (Connection connection = connect("disable");
                    Statement statement = connection.createStatement();
                    ResultSet result = statement.executeQuery("select " + i)) {
                assertThat(result.next()).isTrue();
                assertThat(result.getInt(1)).isEqualTo(i);
            }
        }
    }
}
