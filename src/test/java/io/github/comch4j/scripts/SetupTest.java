package io.github.comch4j.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a distribution has no JDK: one that is fetched, from a server that plays Adoptium's. */
class SetupTest {
    private static final String ADVICE = "this distribution has no JDK 22 or newer: fetch one, such as Eclipse Temurin";
    /** Nothing is missing but a JDK, of which this machine's do not count, and which the distribution lacks. */
    private static final String BARE = ". scripts/dev/lib/tools.sh; . scripts/dev/lib/setup.sh; HOME=$1;"
            + " COMCH4J_ADOPTIUM=$2; jdk_candidates() { printf '%s\\n' \"$HOME\"/.jdks/*; }; missing_packages() { :; };"
            + " as_root() { :; }; jdk_package() { :; }; ";

    @TempDir
    private Path home;

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private byte[] archive;
    private String sum;
    private int lacking; // bytes of the archive that are promised and do not come
    private int statusOfApi = 200;
    private int statusOfArchive = 200;

    @BeforeEach
    void play() throws Exception {
        Script made = Script.runLine(
                "mkdir -p $1/made/jdk-25/bin && cd $1/made && printf '#!/bin/sh\\n' >jdk-25/bin/java &&"
                        + " chmod +x jdk-25/bin/java && cp jdk-25/bin/java jdk-25/bin/javac &&"
                        + " echo 'JAVA_VERSION=\"25.0.9\"' >jdk-25/release && tar -czf jdk.tar.gz jdk-25",
                home.toString());
        assertThat(made.status()).as(made.output()).isZero();
        archive = Files.readAllBytes(home.resolve("made/jdk.tar.gz"));
        sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(archive));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/v3/assets/latest/25/hotspot", this::tell);
        server.createContext("/archive/jdk.tar.gz", this::send);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private String address() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** As Adoptium's interface answers, with what else there is beside the address and the sum. */
    private void tell(HttpExchange exchange) throws IOException {
        asked.add(exchange.getRequestURI().getQuery());
        answer(exchange, statusOfApi, """
                [
                  {
                    "binary": {
                      "architecture": "x64",
                      "image_type": "jdk",
                      "installer": null,
                      "package": {
                        "checksum": "%s",
                        "checksum_link": "%2$s/other.sha256.txt",
                        "download_count": 1234,
                        "link": "%2$s/archive/jdk.tar.gz",
                        "metadata_link": "%2$s/other.json",
                        "name": "OpenJDK25U-jdk_x64_linux_hotspot_25.0.9_1.tar.gz",
                        "size": 1234
                      },
                      "project": "jdk"
                    },
                    "release_link": "%2$s/other",
                    "version": { "major": 25 }
                  }
                ]
                """.formatted(sum, address()).getBytes(StandardCharsets.UTF_8), 0);
    }

    private void send(HttpExchange exchange) throws IOException {
        answer(exchange, statusOfArchive, archive, lacking);
    }

    private static void answer(HttpExchange exchange, int status, byte[] bytes, int lacking) throws IOException {
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes, 0, bytes.length - lacking);
        exchange.close();
    }

    private Script setup(String more, String yes) throws Exception {
        return Script.runLine(BARE + more + "setup demo " + yes + " </dev/null", home.toString(), address());
    }

    private void assertAdvice(Script done, String reason) throws IOException {
        assertThat(done.status()).isNotZero();
        assertThat(done.output()).contains(reason, ADVICE);
        if (Files.exists(home.resolve(".jdks"))) {
            try (Stream<Path> left = Files.list(home.resolve(".jdks"))) {
                assertThat(left).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"x86_64, x64", "aarch64, aarch64"})
    void aJdkIsFetchedForThisProcessor(String machine, String processor) throws Exception {
        Script done = setup("uname() { echo " + machine + "; }; ", "1");
        assertThat(done.status()).as(done.output()).isZero();
        assertThat(done.output()).contains("ready, with the JDK 25 in " + home + "/.jdks/comch4j");
        assertThat(asked).containsExactly("architecture=" + processor + "&image_type=jdk&os=linux&vendor=eclipse");
        assertThat(home.resolve(".jdks/comch4j/bin/javac")).isExecutable();
    }

    @Test
    void nothingIsFetchedUnlessSomebodySaysYes() throws Exception {
        assertAdvice(setup("", "0"), "to be installed");
        assertThat(asked).isEmpty();
    }

    @Test
    void anotherSumIsNotUnpacked() throws Exception {
        sum = "0".repeat(64);
        assertAdvice(setup("", "1"), "has another SHA-256 than Adoptium tells");
    }

    @Test
    void anArchiveThatIsCutOffIsNotUnpacked() throws Exception {
        lacking = 10;
        assertAdvice(setup("", "1"), "cannot be fetched: " + address() + "/archive/jdk.tar.gz");
    }

    @Test
    void whatIsNotThereIsToldOf() throws Exception {
        statusOfArchive = 404;
        assertAdvice(setup("", "1"), "cannot be fetched: " + address() + "/archive/jdk.tar.gz");
        statusOfApi = 404;
        assertAdvice(setup("", "1"), address() + " does not tell of a JDK 25");
        assertAdvice(setup("COMCH4J_ADOPTIUM=http://127.0.0.1:1; ", "1"), "does not tell of a JDK 25");
    }

    @Test
    void anotherAnswerIsNotTrusted() throws Exception {
        sum = "nonsense";
        assertAdvice(setup("", "1"), "answers something else than where a JDK is");
    }

    @Test
    void anArchiveThatIsNoJdkIsNotTaken() throws Exception {
        Script done = Script.runLine(
                BARE + "COMCH4J_JDK_ARCHIVE=pom.xml; setup demo 1 </dev/null", home.toString(), address());
        assertThat(done.status()).isNotZero();
        assertThat(done.output()).contains("no JDK could be unpacked from pom.xml");
        assertThat(home.resolve(".jdks")).isEmptyDirectory();
    }
}
