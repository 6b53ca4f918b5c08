package io.github.comch4j.cli;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.Representor;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where two ends of a command meet that may run on either side: options, and how each gets to the other. */
final class Meeting {
    @Mixin
    private DeviceChoice choice;

    @Option(
            names = {"-l", "--listen"},
            order = 72,
            description = "be the server, if this process sees the devices of both sides; otherwise the side decides")
    private boolean listen;

    @Option(
            names = {"-W", "--timeout"},
            order = 73,
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long to wait for the peer; on the host, for the server on the DPU (${DEFAULT-VALUE})")
    private Duration timeout;

    /** The end that this process is, and what it has open for that. */
    record End(EventLoop loop, Device device, @Nullable Representor representor, String name, Duration timeout)
            implements AutoCloseable {
        /** Or connects. */
        boolean listens() {
            return representor != null;
        }

        MessageServerSocket listen(boolean plain) {
            MessageServerSocket.Builder builder = MessageServerSocket.builder(loop, device, representor, name);
            return ProgramException.serving(
                    name, representor.address(), () -> (plain ? builder.plainPeer() : builder).open());
        }

        /** {@code other}: what runs on the DPU, for who is told that nothing does. */
        MessageSocket connect(boolean plain, String other) {
            try (WaitNotice _ = WaitNotice.on("\"" + name + "\" to be served by \"" + other + "\" on the DPU")) {
                MessageSocket.Builder builder = MessageSocket.builder(loop, device, name);
                String advice = "is \"" + other + "\" running on the DPU, for this function?";
                return ProgramException.connecting(
                        name, device.address(), advice, () -> (plain ? builder.plainPeer() : builder).connect(timeout));
            }
        }

        /** Returns null if there is no server now. */
        @Nullable
        MessageSocket tryConnect(Duration patience) {
            try {
                return MessageSocket.builder(loop, device, name).connect(patience);
            } catch (DocaException e) {
                if (e.error() == DocaError.CONNECTION_ABORTED || e.error() == DocaError.TIME_OUT) {
                    return null;
                }
                throw e;
            }
        }

        @Override
        public void close() {
            try (device) {
                loop.close();
            }
        }
    }

    /**
     * Opens this process's end.
     *
     * @param otherwise whether it listens where both is possible and the command line does not say
     */
    End open(String name, boolean otherwise) {
        boolean server = listens(otherwise);
        PciAddress chosen = choice.device(server);
        Device device = server ? Device.openDpu(chosen) : Device.openHost(chosen);
        Representor representor = server ? device.openRepresentor(choice.function(device)) : null;
        return new End(EventLoop.start("comch"), device, representor, name, timeout);
    }

    /** As {@link #open}, without anything open. */
    DeviceChoice.DeviceAndFunction place(boolean otherwise) {
        boolean server = listens(otherwise);
        return choice.place(choice.device(server), server);
    }

    Duration timeout() {
        return timeout;
    }

    private boolean listens(boolean otherwise) {
        if (listen || choice.function != null) {
            return true;
        }
        List<DeviceInfo> all = DeviceChoice.devicesHere().stream()
                .filter(device -> choice.address == null || device.address().equals(choice.address))
                .toList();
        boolean servers = all.stream().anyMatch(DeviceInfo::server);
        boolean clients = all.stream().anyMatch(DeviceInfo::client);
        return servers == clients ? otherwise : servers;
    }
}
