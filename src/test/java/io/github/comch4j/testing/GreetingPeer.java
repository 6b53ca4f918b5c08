package io.github.comch4j.testing;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.ProgressEngine;
import java.nio.charset.StandardCharsets;

/** The other process of {@link PeerProcessIT}: {@code NAME GREETING}, and {@code exit STATUS}. */
public final class GreetingPeer {
    private GreetingPeer() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("exit")) {
            System.err.println("cannot go on");
            System.exit(Integer.parseInt(arguments[1]));
        }
        try (var engine = ProgressEngine.create();
                var dpu = Device.openDpu(Machine.DPU);
                var function = dpu.openRepresentor(Machine.HOST);
                var _ = Speaking.serve(engine, dpu, function, arguments[0], arguments[1])) {
            System.out.println("devices: " + Device.list().size());
            System.out.println("serving, and says " + System.getenv("SAYS"));
            while (System.in.available() == 0) {
                engine.progress();
            }
        }
        System.out.println("read " + new String(System.in.readNBytes(4), StandardCharsets.UTF_8).strip());
    }
}
