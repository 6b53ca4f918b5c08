package examples;

import io.github.comch4j.testing.EmulatedContainers;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.Wait;

/** The first program with its two halves in containers, whose images have a JDK and the program. */
public class ContainersExample {
    /** What the client has written. */
    public static String talk(GenericContainer<?> onTheDpu, GenericContainer<?> onTheHost) {
        // @start region="containers"
        try (var machine = EmulatedContainers.create();
                var server = machine.join(onTheDpu, Side.DPU).waitingFor(Wait.forLogMessage(".*is ready.*", 1));
                var client = machine.join(onTheHost, Side.HOST)) {
            server.start();
            client.withStartupCheckStrategy(new OneShotStartupCheckStrategy()).start(); // waits for its end
            return client.getLogs();
        }
        // @end
    }
}
