package samples.filedrop;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.io.ComchOutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Random;

/** On the host: {@code Host FILE...} drops files onto the DPU; without a file, one of random bytes. */
public class Host {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ArrayDeque<Integer> consumers = new ArrayDeque<>(); // of the DPU: it is ready for a file
    private final ArrayDeque<String> answers = new ArrayDeque<>();

    public static void main(String[] args) throws IOException {
        new Host().drop(args.length > 0 ? args : new String[] {random().toString()});
    }

    private void drop(String... files) throws IOException {
        try (var engine = ProgressEngine.create();
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                var client = ComchClient.builder(engine, device, "file-drop")
                        .onConsumer((dpu, id) -> consumers.add(id))
                        .onMessage((dpu, message) ->
                                answers.add(UTF_8.decode(message.asByteBuffer()).toString()))
                        .connect(PATIENCE)) {
            for (String file : files) {
                Path path = Path.of(file);
                client.connection().send(path.getFileName().toString().getBytes(UTF_8));
                await(engine, "is not ready for " + file, consumers);
                String sum = send(engine, client.connection(), consumers.remove(), path);
                await(engine, "does not say whether it has " + file, answers);
                if (!answers.remove().equals(sum)) {
                    throw new IOException(file + " has changed on its way");
                }
                System.out.println(path.getFileName() + ": dropped, and the same there");
            }
        }
    }

    /** Sends the bytes of a file on the fast path; answers their checksum. */
    private static String send(ProgressEngine engine, ComchConnection dpu, int consumer, Path path) throws IOException {
        var checksum = new Checksum();
        try (var file = FileChannel.open(path);
                var bytes = ComchOutputChannel.open(dpu, consumer, engine, 32, 256 * 1024)) {
            var buffer = ByteBuffer.allocateDirect(256 * 1024);
            while (file.read(buffer) >= 0) {
                buffer.flip();
                checksum.add(buffer);
                bytes.write(buffer); // all of it; waits while the DPU does not read
                buffer.clear();
            }
        }
        return checksum.sum();
    }

    private static void await(ProgressEngine engine, String otherwise, ArrayDeque<?> queue) throws IOException {
        if (!engine.await(() -> !queue.isEmpty(), PATIENCE)) {
            throw new IOException("the DPU " + otherwise);
        }
    }

    private static Path random() throws IOException {
        byte[] bytes = new byte[20_000_000];
        new Random(1).nextBytes(bytes);
        return Files.write(Files.createTempDirectory("file-drop").resolve("random.bin"), bytes);
    }
}
