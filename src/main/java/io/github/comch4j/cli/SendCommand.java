package io.github.comch4j.cli;

import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Terminals;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code comch send}. */
@Command(
        name = "send",
        description = "Send stdin to \"comch recv\" on the other side, and print what comes back.",
        exitCodeList = {"0:the peer has received everything", "1:it has not; one sentence on stderr says why"},
        footer = {
            "  comch send <image.bin                         to \"comch recv >image.bin\"",
            "  tail -f log | comch send --lines              one message per line",
            "  comch send --lines --chop --plain --name c    to any other program"
        })
final class SendCommand extends ToolCommand implements Runnable, UsesDevice {
    static final String NAME = "comch4j-stream";
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration FOR_EVER = Duration.ofDays(1000);

    @Mixin
    private final ServerName name = new ServerName(NAME);

    @Option(
            names = {"-L", "--lines"},
            description = "send one message per line; otherwise as much as is there at a time")
    private boolean lines;

    @Option(names = "--chop", description = "send lines without their line ends, and skip empty lines")
    private boolean chop;

    @Option(
            names = {"-n", "--clients"},
            paramLabel = "N",
            description = "on the DPU: wait for N clients, and send to all of them (${DEFAULT-VALUE})")
    private int clients = 1;

    @Option(
            names = "--plain",
            description = "the peer is not comch: send it only the messages; it can leave at any time")
    private boolean plain;

    @Option(
            names = {"-q", "--linger"},
            paramLabel = "SECONDS",
            defaultValue = "0",
            description = "with --plain: how long to wait for answers after the end of the input (${DEFAULT-VALUE})")
    private Duration linger;

    @Mixin
    private Meeting meeting;

    private final TrafficCount traffic = new TrafficCount();
    private final OutputStream out = Terminals.stdout();
    /** Why not all arrives; the first reason counts. */
    private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();

    private final AtomicInteger talking = new AtomicInteger(); // peers that are not done
    private volatile boolean inputEnded;

    @Override
    public void run() {
        within("--clients", clients, 1, 100_000);
        if (chop && !lines) {
            throw wrong("--chop: is for --lines");
        }
        if (!plain) {
            without("is for --plain", "--linger");
        }
        try (Meeting.End end = meeting.open(name.get(), false);
                MessageServerSocket server = end.listens() ? end.listen(plain) : null;
                Interrupt interrupt = new Interrupt()) {
            List<MessageSocket> peers = new ArrayList<>();
            if (server == null) {
                MessageSocket peer = interrupt.during(() -> end.connect(plain, "comch recv"));
                if (peer != null) {
                    peers.add(peer);
                }
            } else {
                accept(server, peers, interrupt);
            }
            if (!interrupt.stopped()) {
                talk(peers, interrupt);
            }
            if (interrupt.stopped() || common.verbose()) {
                System.err.println("comch: sent " + traffic);
            }
            if (!interrupt.stopped()) {
                RuntimeException why = failure.get();
                if (why != null) {
                    throw why;
                }
                peers.forEach(MessageSocket::close);
            }
        }
    }

    private void accept(MessageServerSocket server, List<MessageSocket> peers, Interrupt interrupt) {
        String whom = clients == 1 ? "a client" : clients + " clients";
        try (WaitNotice _ = WaitNotice.on(whom + " of \"" + name + "\", such as \"comch recv\" on the host")) {
            while (peers.size() < clients && !interrupt.stopped()) {
                MessageSocket next = server.accept(MOMENT);
                if (next != null) {
                    peers.add(next);
                }
            }
        }
        server.shutdown();
    }

    private void talk(List<MessageSocket> peers, Interrupt interrupt) {
        talking.set(peers.size());
        for (MessageSocket peer : peers) {
            ToolThreads.start("answers", () -> answers(peer));
        }
        ToolThreads.start("input", () -> input(peers));
        while (talking.get() > 0 && !interrupt.stopped()) {
            ToolThreads.pause();
        }
    }

    private void fail(RuntimeException why) {
        failure.compareAndSet(null, why);
    }

    private void input(List<MessageSocket> peers) {
        int most = peers.getFirst().maxMessageSize();
        try (InputStream in = new BufferedInputStream(new FileInputStream(FileDescriptor.in), 1 << 16)) {
            if (lines) {
                lines(in, most, peers);
            } else {
                bytes(in, most, peers);
            }
            inputEnded = true; // before the peers are told: they may leave then
            for (MessageSocket peer : peers) {
                if (!plain) {
                    peer.shutdownOutput(FOR_EVER);
                } else {
                    peer.flush(FOR_EVER);
                }
            }
            if (plain) {
                Thread.sleep(linger.toMillis());
                talking.set(0);
            }
        } catch (ConnectionClosedException e) {
            left();
        } catch (IOException e) {
            fail(new ProgramException("stdin cannot be read: " + e.getMessage(), e));
            talking.set(0);
        } catch (RuntimeException e) {
            fail(e);
            talking.set(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void left() {
        fail(new ProgramException("the other end has left before it had everything"));
    }

    private void bytes(InputStream in, int most, List<MessageSocket> peers) throws IOException {
        byte[] buffer = new byte[most];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            send(Arrays.copyOf(buffer, read), peers);
        }
    }

    private void lines(InputStream in, int most, List<MessageSocket> peers) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        long number = 1;
        for (int next = in.read(); ; next = in.read()) {
            if (next >= 0 && !(next == '\n' && chop)) {
                line.write(next);
            }
            if (line.size() > most) {
                throw new ProgramException(
                        "line " + number + " is longer than a message, which has " + most + " bytes at most here");
            }
            if (next == '\n' || next < 0) {
                if (line.size() > 0) {
                    send(line.toByteArray(), peers);
                    line.reset();
                }
                number++;
            }
            if (next < 0) {
                return;
            }
        }
    }

    private void send(byte[] message, List<MessageSocket> peers) {
        for (MessageSocket peer : peers) {
            try {
                peer.send(message, FOR_EVER);
            } catch (ConnectionClosedException e) {
                left(); // the others go on
                if (peers.size() == 1) {
                    throw e;
                }
            } catch (IllegalArgumentException e) {
                throw new ProgramException("not to be sent: " + e.getMessage(), e);
            }
        }
        traffic.add(message.length);
    }

    /** Until the peer has said, or had, all. */
    private void answers(MessageSocket peer) {
        try {
            while (true) {
                byte[] message = peer.receive(MOMENT);
                if (message != null) {
                    synchronized (out) {
                        out.write(message);
                        out.flush();
                    }
                } else if (peer.isInputShutdown()) {
                    break;
                }
            }
        } catch (ConnectionClosedException e) {
            // it has left
        } catch (IOException e) {
            fail(new ProgramException("stdout cannot be written to: " + e.getMessage(), e));
        } catch (RuntimeException e) {
            fail(e);
        }
        if (!(inputEnded && (plain || peer.isInputShutdown()))) {
            left();
        }
        talking.decrementAndGet();
    }
}
