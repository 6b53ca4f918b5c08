package modules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.github.comch4j.core.Device;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import io.github.comch4j.testing.EmulatedBlueField;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** A program with its own tests, which it runs, and tells in which module; also the other side. */
public final class TestedProgram {
    private TestedProgram() {}

    @EmulatedBlueField(topology = {"dpu 0000:03:00.0", "host 0000:b1:00.0 pf"})
    static final class Tests {
        @Test
        void theMachineIsTheTestsOwn() {
            assertEquals(2, Device.list().size());
        }

        @Test
        void theOtherSideIsOfTheSameModule(EmulatedMachine machine) {
            PeerProcess peer = machine.peer(EmulatedMachine.Side.DPU, TestedProgram.class, "a peer")
                    .start();
            peer.awaitLine("1 device in " + where(TestedProgram.class));
        }
    }

    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            System.out.println(Device.list().size() + " device in " + where(TestedProgram.class));
            return;
        }
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(Tests.class))
                                .build(),
                        listener);
        listener.getSummary().printFailuresTo(new PrintWriter(System.out, true, StandardCharsets.UTF_8));
        if (listener.getSummary().getTotalFailureCount() > 0) {
            System.exit(1);
        }
        System.out.println(listener.getSummary().getTestsSucceededCount() + " tests in " + where(TestedProgram.class)
                + " with " + where(EmulatedBlueField.class));
    }

    private static String where(Class<?> type) {
        return type.getModule().isNamed() ? type.getModule().toString() : "no module";
    }
}
