package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.Programs;
import java.io.IOException;
import java.time.Duration;

/** Tells systemd how far the program is, by its own {@code systemd-notify}: Java has no datagrams to Unix sockets. */
final class ServiceManager {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private ServiceManager() {}

    /** Such as {@code READY=1}; nothing happens where no service manager has asked for it. */
    static void tell(String state) {
        String socket = System.getenv("NOTIFY_SOCKET");
        if (socket == null || socket.isEmpty()) {
            return;
        }
        try {
            Programs.run(new ProcessBuilder("systemd-notify", "--no-block", state).inheritIO(), PATIENCE);
        } catch (IOException e) {
            System.err.println("comch: systemd cannot be told " + state + ": " + e.getMessage());
        }
    }
}
