package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.streams.BlockingStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** A stream that goes on as this process's stdin and stdout, or a command's: with a thread for each direction. */
final class Pump {
    private static final int CHUNK = 64 << 10;

    private final BlockingStream stream;
    private final InputStream in;
    private final OutputStream out;
    private volatile @Nullable IOException unread; // why the input cannot be read

    Pump(BlockingStream stream, InputStream in, OutputStream out) {
        this.stream = stream;
        this.in = in;
        this.out = out;
    }

    /**
     * Copies both ways until the other end says no more.
     *
     * @throws IOException if the stream was reset, or there is nobody for what comes from it
     */
    void run() throws IOException {
        ToolThreads.start("comch-relay-input", this::send);
        byte[] buffer = new byte[CHUNK];
        try {
            for (int read = stream.read(buffer, 0, CHUNK, 0); read >= 0; read = stream.read(buffer, 0, CHUNK, 0)) {
                write(buffer, read);
            }
        } catch (IOException e) {
            stream.reset();
            IOException cause = unread;
            throw cause == null ? e : new IOException("stdin cannot be read: " + cause.getMessage(), cause);
        }
    }

    private void write(byte[] bytes, int count) throws IOException {
        try {
            out.write(bytes, 0, count);
            out.flush();
        } catch (IOException e) {
            throw new IOException("stdout cannot be written to: " + e.getMessage(), e);
        }
    }

    private void send() {
        try {
            sendAll(this::read, stream);
        } catch (IOException e) {
            if (unread != null) {
                stream.reset(); // the peer must not take what it has for all
            }
            // else the other direction tells, if that is an error
        }
    }

    private int read(byte[] buffer) throws IOException {
        try {
            return in.read(buffer);
        } catch (IOException e) {
            unread = e;
            throw e;
        }
    }

    private interface Source {
        int read(byte[] buffer) throws IOException;
    }

    /** What there is to read, to its end. */
    private static void sendAll(Source from, BlockingStream stream) throws IOException {
        byte[] buffer = new byte[CHUNK];
        for (int read = from.read(buffer); read >= 0; read = from.read(buffer)) {
            stream.write(buffer, 0, read);
        }
        stream.shutdownOutput();
    }

    /**
     * A command whose input and output are the stream.
     *
     * @return its exit status
     */
    static int command(BlockingStream stream, String command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (OutputStream input = process.getOutputStream()) {
            Thread answers = ToolThreads.start("comch-relay-output", () -> answers(stream, process));
            feed(stream, input);
            answers.join();
            return process.waitFor();
        } finally {
            process.destroy();
            stream.close();
        }
    }

    private static void feed(BlockingStream stream, OutputStream input) throws IOException {
        byte[] buffer = new byte[CHUNK];
        boolean takes = true;
        for (int read = stream.read(buffer, 0, CHUNK, 0); read >= 0; read = stream.read(buffer, 0, CHUNK, 0)) {
            try {
                if (takes) {
                    input.write(buffer, 0, read);
                    input.flush();
                }
            } catch (IOException e) {
                takes = false; // it reads no more, as head does when it has enough
            }
        }
        try {
            input.close();
        } catch (IOException e) {
            // the same
        }
    }

    private static void answers(BlockingStream stream, Process process) {
        try (InputStream from = process.getInputStream()) {
            sendAll(from::read, stream);
            stream.shutdownInput(); // nobody reads what comes
        } catch (IOException e) {
            process.destroy();
        }
    }
}
