package samples.filedrop;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.io.ComchInputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;

/** On the DPU: {@code Dpu [FOLDER]} takes each file that a host drops, one after another. */
public class Dpu {
    /** What a host has announced. */
    private record Announcement(ComchConnection host, String name) {}

    public static void main(String[] args) throws IOException {
        Path folder = args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("dropped");
        var announced = new ArrayDeque<Announcement>();
        try (var engine = ProgressEngine.create();
                var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
                var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
                var server = ComchServer.builder(engine, device, function, "file-drop")
                        .onMessage((host, message) -> announced.add(new Announcement(
                                host, UTF_8.decode(message.asByteBuffer()).toString())))
                        .start()) {
            System.out.println(server + " puts files into " + folder);
            while (!Thread.interrupted()) {
                engine.await(() -> !announced.isEmpty(), Duration.ofDays(1));
                var next = announced.remove();
                try {
                    next.host.send(take(engine, next.host, folder, next.name).getBytes(UTF_8));
                } catch (IOException e) { // this host has left, or the folder is full: the next one may do better
                    System.out.println(next.name + ": " + e.getMessage());
                    next.host.disconnect();
                }
            }
        }
    }

    /** Receives one file: under another name until it is whole. Answers its checksum. */
    private static String take(ProgressEngine engine, ComchConnection host, Path folder, String name)
            throws IOException {
        if (name.contains("/") || name.startsWith(".")) {
            throw new IOException("not a plain name");
        }
        Path partial = folder.resolve("." + name + ".partial");
        var checksum = new Checksum();
        long size = 0;
        try (var bytes = ComchInputChannel.open(host, engine, 32, 256 * 1024); // the host sees it and begins
                var file = FileChannel.open(
                        partial,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            var buffer = ByteBuffer.allocateDirect(256 * 1024);
            while (bytes.read(buffer) >= 0) { // -1: the host has closed its end
                buffer.flip();
                checksum.add(buffer);
                size += buffer.remaining();
                while (buffer.hasRemaining()) {
                    file.write(buffer);
                }
                buffer.clear();
            }
        } catch (IOException e) {
            Files.deleteIfExists(partial);
            throw e;
        }
        Files.move(partial, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        String sum = checksum.sum();
        System.out.println(name + ": " + size + " bytes, " + sum);
        return sum;
    }
}
