package modules;

import io.github.comch4j.core.Device;
import io.github.comch4j.emulator.EmulatedMachine;
import io.github.comch4j.emulator.PeerProcess;

/** Starts itself as the other side, from the class path or a module, and tells where that runs. */
public final class PeerProgram {
    private PeerProgram() {}

    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            Module module = PeerProgram.class.getModule();
            boolean open = Object.class.getModule().isOpen("java.lang", module);
            System.out.println("peer in " + module + ", java.lang " + (open ? "open" : "closed") + ", sees "
                    + Device.list().size());
            return;
        }
        try (EmulatedMachine machine = EmulatedMachine.create();
                PeerProcess peer = machine.peer(EmulatedMachine.Side.DPU, PeerProgram.class, "a peer")
                        .start()) {
            System.out.println(peer.awaitLine("peer in"));
            System.exit(peer.exitStatus());
        }
    }
}
