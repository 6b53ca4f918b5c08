package io.github.comch4j;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The other process of {@link NativeLoadingIT}: prints what a first use of the library comes to. */
public final class LibraryChoice {
    private LibraryChoice() {
    }

    public static void main(String[] arguments) {
        if (arguments.length > 0) {
            keepASegment();
            return;
        }
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                LibraryInfo library = Doca.library();
                System.out.println(library.kind() + " " + Devices.list().size() + " devices, " + library.reason());
            } catch (NativeLibraryException e) {
                System.out.println(e.reason() + " " + e.getMessage());
            }
        }
    }

    /** With strict checks. */
    private static void keepASegment() {
        MemorySegment[] kept = new MemorySegment[1];
        try (Machine machine = new Machine()) {
            machine.server().onMessage((connection, message) -> kept[0] = message).start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            client.connection().send(new byte[] {42});
            machine.until("the message", () -> kept[0] != null);
            System.out.println(PciAddress.of("b1:00.0") + " " + kept[0].get(ValueLayout.JAVA_BYTE, 0));
        } catch (IllegalStateException e) {
            System.out.println("IllegalStateException " + e.getMessage());
        }
    }
}
