package io.github.comch4j;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.BufferInventory;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.DocaLog;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.dpa.DpaApplication;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;

/** The other process of {@link NativeLoadingIT}: prints what a first use of the library comes to. */
public final class LibraryChoice {
    /** What a program may begin with. */
    static final List<Runnable> FIRST_CALLS = List.of(
            Doca::library,
            Doca::runtimeVersion,
            Device::list,
            () -> Device.open(PciAddress.of("b1:00.0")),
            () -> Device.openHost(PciAddress.of("b1:00.0")),
            () -> Device.openDpu(PciAddress.of("03:00.0")),
            ProgressEngine::create,
            () -> EventLoop.start("a loop"),
            () -> BufferInventory.create(1),
            DocaLog::standardBackend,
            () -> DocaLog.bridge(System.Logger.Level.INFO),
            DocaLog::sdkLevel,
            () -> DocaLog.setSdkLevel(System.Logger.Level.INFO),
            DocaLog::applicationLevel,
            () -> DocaLog.setApplicationLevel(System.Logger.Level.INFO),
            () -> DocaLog.log(System.Logger.Level.INFO, "a test", "a message"),
            EmulatedFaults::clear,
            () -> DpaApplication.load(Path.of("none"), "none"));

    private LibraryChoice() {}

    public static void main(String[] arguments) {
        String use = arguments.length > 0 ? arguments[0] : "choice";
        if (use.equals("keep")) {
            keepASegment();
            return;
        }
        if (use.equals("serve")) {
            serve();
            return;
        }
        if (use.equals("first calls")) {
            FIRST_CALLS.forEach(LibraryChoice::callTwice);
            return;
        }
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                switch (use) {
                    case "engine" -> ProgressEngine.create();
                    case "device" -> Device.openHost(PciAddress.of("b1:00.0"));
                    case "inventory" -> BufferInventory.create(1);
                    case "log" -> DocaLog.standardBackend();
                    default -> Doca.library();
                }
                LibraryInfo library = Doca.library();
                System.out.println(library.kind() + " " + Device.list().size() + " devices, " + library.generation()
                        + ", " + library.reason());
            } catch (NativeLibraryException e) {
                System.out.println(e.getMessage());
            } catch (DocaException e) {
                System.out.println(e.error() + " " + e.getMessage());
            }
        }
    }

    private static void callTwice(Runnable call) {
        for (int attempt = 0; attempt < 2; attempt++) {
            try {
                call.run();
                System.out.println("done");
            } catch (NativeLibraryException e) {
                System.out.println(e.getMessage());
            } catch (Throwable e) {
                System.out.println(e);
            }
        }
    }

    private static void serve() {
        try (Machine machine = new Machine()) {
            System.out.println(machine.server().start());
        } catch (DocaException e) {
            System.out.println(e.getMessage());
        }
    }

    /** With strict checks. */
    private static void keepASegment() {
        MemorySegment[] kept = new MemorySegment[1];
        try (Machine machine = new Machine()) {
            machine.server()
                    .onMessage((connection, message) -> kept[0] = message)
                    .start();
            ComchClient client = machine.client().connect(Machine.PATIENCE);
            client.connection().send(new byte[] {42});
            machine.until("the message", () -> kept[0] != null);
            System.out.println(PciAddress.of("b1:00.0") + " " + kept[0].get(ValueLayout.JAVA_BYTE, 0));
        } catch (IllegalStateException e) {
            System.out.println("IllegalStateException " + e.getMessage());
        }
    }
}
