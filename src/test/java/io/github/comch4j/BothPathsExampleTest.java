package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The example of docs/start/3-a-buffer.md, as it stands there between the two marks, against a small service. */
class BothPathsExampleTest {
    private int consumerId;
    private String answer;

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    // begin
    void hostSide(byte[] greeting) {
        try (var engine = ProgressEngine.create();
             var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
             var client = ComchClient.builder(engine, device, "echo")
                     .onMessage((connection, message) -> answer = StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString())
                     .onConsumer((connection, id) -> consumerId = id)
                     .connect(Duration.ofSeconds(5));
             var memory = MemoryMap.allocate(device, 64L << 20, Access.PCI_READ_WRITE);
             var producer = client.connection().producer(engine).tasks(256).start()) {
            client.connection().send(greeting);                            // control path
            engine.await(() -> consumerId != 0, Duration.ofSeconds(5)); // the peer's consumer is ready
            Buffer buffer = producer.acquire(memory, 0, 4096);             // a window on `memory`, written in place
            buffer.segment().fill((byte) 42);
            while (!producer.trySend(buffer, consumerId).accepted()) engine.progress(); // fast path, no copy on this side
            engine.await(() -> answer != null, Duration.ofSeconds(5));
        }
    }
    // end

    @Test
    void thePageHasThisExample() throws IOException {
        String source = Files.readString(Path.of("src", "test", "java", "io", "github", "comch4j", "BothPathsExampleTest.java"));
        String begin = "    // begin\n";
        String example = source.substring(source.indexOf(begin) + begin.length(), source.indexOf("    // end\n"));
        assertThat(Files.readString(Path.of("docs", "start", "3-a-buffer.md"))).contains("```java\n" + example.stripTrailing().stripIndent() + "\n```\n");
    }

    @Test
    void theExampleWorks() throws Exception {
        CompletableFuture<String> ready = new CompletableFuture<>();
        CompletableFuture<Void> stop = new CompletableFuture<>();
        CompletableFuture<String> served = CompletableFuture.supplyAsync(() -> dpuSide(ready, stop), runnable -> new Thread(runnable).start());
        ready.get(20, TimeUnit.SECONDS);
        try {
            hostSide("hello".getBytes(StandardCharsets.UTF_8));
        } finally {
            stop.complete(null);
        }
        assertThat(served.get(20, TimeUnit.SECONDS)).isEqualTo("hello");
        assertThat(answer).isEqualTo("4096 bytes of 42");
    }

    private static String dpuSide(CompletableFuture<String> ready, CompletableFuture<Void> stop) {
        String[] greeting = new String[1];
        try (var engine = ProgressEngine.create();
             var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
             var representor = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
             var memory = MemoryMap.allocate(device, 1 << 20, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
             var server = ComchServer.builder(engine, device, representor, "echo")
                     .onMessage((connection, message) -> greeting[0] = StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString())
                     .onConnected(connection -> receive(connection, engine, memory))
                     .start()) {
            ready.complete(server.name());
            while (!stop.isDone()) {
                engine.progress();
            }
        }
        return greeting[0];
    }

    private static void receive(ComchConnection connection, ProgressEngine engine, MemoryMap memory) {
        connection.consumer(engine, memory).buffers(8, 1 << 16)
                .onReceive((consumer, buffer, producerId, immediate) -> {
                    String text = buffer.length() + " bytes of " + buffer.data().get(ValueLayout.JAVA_BYTE, buffer.length() - 1);
                    connection.enqueue(text.getBytes(StandardCharsets.UTF_8));
                })
                .start();
    }
}
