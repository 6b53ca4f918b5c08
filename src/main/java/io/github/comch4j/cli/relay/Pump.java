package io.github.comch4j.cli.relay;

import io.github.comch4j.internal.support.relay.BlockingStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A stream that goes on as this process's stdin and stdout, or a command's: with a thread for each direction. */
final class Pump {
    private static final int CHUNK = 64 << 10;

    private final BlockingStream stream;
    private final InputStream in;
    private final OutputStream out;

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
        Thread sender = new Thread(this::send, "comch-relay-input");
        sender.setDaemon(true);
        sender.start();
        byte[] buffer = new byte[CHUNK];
        try {
            for (int read = stream.read(buffer, 0, CHUNK, 0); read >= 0; read = stream.read(buffer, 0, CHUNK, 0)) {
                out.write(buffer, 0, read);
                if (stream.available() == 0) {
                    out.flush();
                }
            }
            out.flush();
        } catch (IOException e) {
            stream.reset();
            throw e;
        }
    }

    private void send() {
        try {
            sendAll(in, stream);
        } catch (IOException e) {
            // the other direction tells, if that is an error
        }
    }

    /** What there is to read, to its end. */
    private static void sendAll(InputStream from, BlockingStream stream) throws IOException {
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
            Thread answers = new Thread(() -> answers(stream, process), "comch-relay-output");
            answers.setDaemon(true);
            answers.start();
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
            sendAll(from, stream);
            stream.shutdownInput(); // nobody reads what comes
        } catch (IOException e) {
            process.destroy();
        }
    }
}
