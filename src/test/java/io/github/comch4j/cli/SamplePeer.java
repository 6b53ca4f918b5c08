package io.github.comch4j.cli;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.nio.charset.StandardCharsets;

/**
 * A peer that gets as far as the first message of the data path sample, then neither speaks nor ends: to be killed.
 *
 * <p>{@code SamplePeer server|client NAME}
 */
final class SamplePeer {
    private SamplePeer() {}

    public static void main(String[] arguments) {
        byte[] start = "start_data_path_test".getBytes(StandardCharsets.US_ASCII);
        boolean[] heard = new boolean[1];
        try (ProgressEngine engine = ProgressEngine.create()) {
            if (arguments[0].equals("server")) {
                Device dpu = Device.openDpu(Machine.DPU);
                Representor function = dpu.openRepresentor(Machine.HOST);
                ComchServer.builder(engine, dpu, function, arguments[1])
                        .onMessage((connection, message) -> heard[0] = true)
                        .start();
                System.out.println("serving");
            } else {
                ComchClient client = ComchClient.builder(engine, Device.openHost(Machine.HOST), arguments[1])
                        .onMessage((connection, message) -> heard[0] = true)
                        .connect(Machine.PATIENCE);
                client.connection().send(start);
            }
            Machine.until("a message", () -> heard[0], engine);
            System.out.println("heard");
            while (true) {
                engine.progress();
            }
        }
    }
}
