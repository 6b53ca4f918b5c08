package io.github.comch4j.cli.relay;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Tells systemd how far the program is, by its own {@code systemd-notify}: Java has no datagrams to Unix sockets. */
final class ServiceManager {
    private static final long PATIENCE_SECONDS = 10;

    private ServiceManager() {}

    /** Such as {@code READY=1}; nothing happens where no service manager has asked for it. */
    static void tell(String state) {
        String socket = System.getenv("NOTIFY_SOCKET");
        if (socket == null || socket.isEmpty()) {
            return;
        }
        try {
            Process notify = new ProcessBuilder("systemd-notify", "--no-block", state)
                    .inheritIO()
                    .start();
            if (!notify.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                notify.destroyForcibly();
            }
        } catch (IOException e) {
            System.err.println("comch: systemd cannot be told " + state + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
