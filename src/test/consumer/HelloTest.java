package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.comch4j.core.Doca;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;
import io.github.comch4j.testing.EmulatedBlueField;
import org.junit.jupiter.api.Test;

/** A test of the program, as a module or on the class path. */
@EmulatedBlueField
class HelloTest {
    @Test
    void theServerIsAProcessOfItsOwn(EmulatedMachine machine) {
        PeerProcess server = machine.peer(EmulatedMachine.Side.DPU, HelloServer.class, "hello")
                .start();
        server.awaitLine("is ready");
        HelloClient.main(new String[] {"hello"});
    }

    @Test
    void itIsWhereItIsToBe() {
        boolean modules = Boolean.getBoolean("useModulePath");
        assertEquals(modules, Doca.class.getModule().isNamed());
        assertEquals(modules, HelloClient.class.getModule().isNamed());
    }
}
