package modules;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.core.Representor;
import java.time.Duration;

/** A user's program, in a package of his own: what it prints tells whether the library is a module. */
public final class ModuleProgram {
    private ModuleProgram() {}

    public static void main(String[] arguments) {
        PciAddress function = PciAddress.of("b1:00.0");
        String name = "module-" + ProcessHandle.current().pid();
        boolean[] answered = new boolean[1];
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(function);
                Device dpu = Device.openDpu(PciAddress.of("03:00.0"));
                Representor representor = dpu.openRepresentor(function);
                ComchServer server = ComchServer.builder(engine, dpu, representor, name)
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .start();
                ComchClient client = ComchClient.builder(engine, host, server.name())
                        .onMessage((connection, message) -> answered[0] = true)
                        .connect(Duration.ofSeconds(20))) {
            client.connection().send(new byte[] {1});
            while (!answered[0]) {
                engine.progress();
            }
        }
        System.out.println(Doca.class.getModule() + ", " + Doca.library().kind());
    }
}
