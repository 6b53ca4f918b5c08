package samples.filetransfer;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import samples.filetransfer.Protocol.Chunk;
import samples.filetransfer.Protocol.End;
import samples.filetransfer.Protocol.Hello;
import samples.filetransfer.Protocol.Message;
import samples.filetransfer.Protocol.Result;
import samples.filetransfer.Protocol.Verdict;
import samples.filetransfer.Protocol.Welcome;

/** One client's file, as the service receives it. Belongs to the thread of the connection's engine. */
final class Reception {
    /** What all posted buffers together may take, whatever the client would like. */
    private static final long MOST_MEMORY = 32L << 20;

    private final ComchConnection connection;
    private final Hello hello;
    private final Duration silence;
    private final Patience patience;
    private final MessageDigest digest = Protocol.sha256();
    private FileChannel file;
    private long chunks;
    private long position;
    private End end;
    private Verdict verdict;

    Reception(ComchConnection connection, Hello hello, Duration silence) {
        this.connection = connection;
        this.hello = hello;
        this.silence = silence;
        this.patience = new Patience(connection.endpoint().engine(), silence);
    }

    ComchConnection connection() {
        return connection;
    }

    /** Handler: the client sent another message. */
    void onMessage(Message message) {
        switch (message) {
            case End received -> end = received;
            case Verdict received -> verdict = received;
            default -> patience.fail("the client speaks out of turn");
        }
    }

    /** Handler: the client is gone. */
    void onDisconnected() {
        patience.fail(
                "the client has gone after %s of %s".formatted(Sizes.format(position), Sizes.format(hello.fileSize())));
    }

    /** Receives the file; {@code output} exists afterwards if the client agrees with the checksum. */
    void receive(Device device, Path output) throws IOException {
        checkHello();
        // a device or pipe is written to as it is, a file only replaced when the new one is complete
        Path target = Files.exists(output) && !Files.isRegularFile(output) ? output : Path.of(output + ".part");
        try {
            try (FileChannel opened = open(target)) {
                file = opened;
                receive(device);
            } catch (DocaException e) {
                throw patience.explain(e);
            }
            if (target != output) {
                Files.move(target, output, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            if (target != output) {
                Files.deleteIfExists(target);
            }
        }
    }

    private void checkHello() {
        System.out.println("the client says: " + hello.greeting());
        if (hello.version() != Protocol.VERSION) {
            throw new TransferException("the client speaks version %d of the protocol, the service %d"
                    .formatted(hello.version(), Protocol.VERSION));
        }
        if (hello.fileSize() < 0
                || hello.depth() < 1
                || hello.chunkSize() < 1
                || hello.chunkSize() > Protocol.MAX_CHUNK) {
            throw new TransferException("the client asks for the impossible: " + hello);
        }
    }

    private static FileChannel open(Path target) {
        try {
            return FileChannel.open(
                    target, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw cannotWrite(e);
        }
    }

    private void receive(Device device) {
        long size = hello.chunkSize();
        long needed = Math.max(1, Math.ceilDiv(hello.fileSize(), size));
        int count = (int) Math.clamp(MOST_MEMORY / size, 1, Math.min(hello.depth(), needed));
        ProgressEngine engine = connection.endpoint().engine();
        try (MemoryMap memory = MemoryMap.allocate(device, count * size, Access.PCI_READ_WRITE);
                ComchConsumer consumer = connection
                        .consumer(engine, memory)
                        .buffers(count, size) // posted when it starts, and each again when onChunk returns
                        .immediateLength(Chunk.BYTES)
                        .onReceive(this::onChunk)
                        .onReceiveFailed((receiver, buffer, error) ->
                                patience.fail("chunk %d was lost: %s".formatted(chunks, error.description())))
                        .start(silence)) {
            send(new Welcome("hello, this is the DPU with " + consumer.posted() + " buffers"));
            patience.await("chunk " + chunks, () -> end != null && chunks >= end.chunks());
            if (position != hello.fileSize()) {
                throw new TransferException(
                        "the client ended after %d of %d bytes".formatted(position, hello.fileSize()));
            }
            String sha256 = HexFormat.of().formatHex(digest.digest());
            send(new Result(position, chunks, sha256, connection.counters()));
            patience.await("the client's verdict", () -> verdict != null);
            if (!verdict.correct()) {
                throw new TransferException("the client sent something else than the service received");
            }
            System.out.println(
                    "received %s in %d messages, SHA-256 %s".formatted(Sizes.format(position), chunks, sha256));
        }
    }

    /** Handler: a chunk is in one of the posted buffers. */
    private void onChunk(ComchConsumer consumer, Buffer buffer, int producerId, MemorySegment immediate) {
        if (patience.hasFailed()) {
            return;
        }
        MemorySegment data = buffer.data();
        String fault = fault(immediate, data.byteSize());
        if (fault != null) {
            patience.fail(fault);
            return;
        }
        try {
            for (ByteBuffer bytes = data.asByteBuffer(); bytes.hasRemaining(); ) {
                file.write(bytes);
            }
        } catch (IOException e) {
            patience.fail(cannotWrite(e).getMessage());
            return;
        }
        digest.update(data.asByteBuffer());
        chunks++;
        position += data.byteSize();
    }

    /** What is wrong with a chunk, or null. */
    private String fault(MemorySegment immediate, long length) {
        if (immediate.byteSize() != Chunk.BYTES) {
            return "chunk %d came without its number".formatted(chunks);
        }
        Chunk chunk = Chunk.readFrom(immediate);
        if (chunk.number() > chunks) {
            return "chunk %d was lost: chunk %d came in its place".formatted(chunks, chunk.number());
        }
        if (chunk.number() < chunks) {
            return "chunk %d came a second time instead of chunk %d".formatted(chunk.number(), chunks);
        }
        if (chunk.offset() != position || length != Math.min(hello.chunkSize(), hello.fileSize() - position)) {
            return "chunk %d has %d bytes for offset %d, which is not what belongs there"
                    .formatted(chunks, length, chunk.offset());
        }
        return null;
    }

    private void send(Message message) {
        connection.send(Protocol.encode(message));
    }

    private static TransferException cannotWrite(IOException e) {
        return new TransferException("the file cannot be written: " + e.getMessage(), e);
    }
}
