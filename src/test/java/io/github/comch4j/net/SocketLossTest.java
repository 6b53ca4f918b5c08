package io.github.comch4j.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A message of the control path that is lost is never a hole in a stream. */
@Timeout(60)
class SocketLossTest {
    private static final int LONGS = 4096;

    static {
        Machine.useEmulation();
    }

    private final String name = Machine.uniqueName();

    @AfterEach
    void clear() {
        EmulatedFaults.clear();
    }

    /** How many longs there were in order, and how it ended. */
    private record Got(int longs, String end) {
        static Got of(Socket socket) {
            int longs = 0;
            try (DataInputStream in = new DataInputStream(socket.getInputStream())) {
                while (true) {
                    long next = in.readLong();
                    if (next != longs) {
                        return new Got(longs, "a hole: " + next);
                    }
                    longs++;
                }
            } catch (EOFException e) {
                return new Got(longs, "end");
            } catch (SocketException e) {
                return new Got(longs, "reset");
            } catch (IOException e) {
                return new Got(longs, e.toString());
            }
        }
    }

    private static String write(Socket socket, int bytesAtATime) {
        byte[] all = new byte[LONGS * Long.BYTES];
        ByteBuffer longs = ByteBuffer.wrap(all);
        for (int i = 0; i < LONGS; i++) {
            longs.putLong(i);
        }
        try {
            for (int from = 0; from < all.length; from += bytesAtATime) {
                socket.getOutputStream().write(all, from, bytesAtATime);
            }
            socket.shutdownOutput();
            return socket.getInputStream().read() == -1 ? "end" : "a byte";
        } catch (SocketException e) {
            return "reset";
        } catch (IOException e) {
            return e.toString();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 32768", "2, 32768", "4, 32768", "7, 32768", "2, 64", "5, 64", "9, 64", "3, 4096"})
    void whatComesBehindIsNotDelivered(int nth, int bytesAtATime) throws Exception {
        try (ServerSocket server = new ComchServerSocketFactory(name).createServerSocket(0);
                Socket socket = new ComchSocketFactory(name).createSocket("localhost", 1);
                Socket accepted = server.accept()) {
            CompletableFuture<Got> reading = Machine.onThread(() -> Got.of(accepted));
            new EmulatedFaults().failSend(nth, DocaError.IO_FAILED).apply();
            String written = write(socket, bytesAtATime);
            Got got = reading.get(20, TimeUnit.SECONDS);
            EmulatedFaults.clear();
            assertThat(got.end).as("after %d longs", got.longs).isIn("end", "reset");
            if (got.end.equals("end")) {
                assertThat(got.longs).as("with an end").isEqualTo(LONGS);
            } else {
                assertThat(written).as("what the writer hears").isEqualTo("reset");
            }
            try (Socket next = new ComchSocketFactory(name).createSocket("localhost", 1);
                    Socket nextAccepted = server.accept()) {
                CompletableFuture<Got> whole = Machine.onThread(() -> Got.of(nextAccepted));
                assertThat(write(next, LONGS)).isEqualTo("end");
                assertThat(whole.get(20, TimeUnit.SECONDS)).isEqualTo(new Got(LONGS, "end"));
            }
        }
    }
}
