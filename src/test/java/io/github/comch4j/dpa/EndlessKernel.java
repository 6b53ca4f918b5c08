package io.github.comch4j.dpa;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.emulator.JavaKernels;
import java.util.concurrent.CountDownLatch;

/**
 * The other process of {@link JavaKernelsIT}: kernels poll for ever, in Java and in DOCA, while {@code main} returns,
 * or one of them calls {@code System.exit}; {@code refused}: where there is a DPA that is not emulated.
 */
public final class EndlessKernel {
    private static final int KERNELS = 3;
    private static final PciAddress HOST = PciAddress.of("0000:b1:00.0"); // without Machine, which chooses the library

    private EndlessKernel() {}

    public static void main(String[] arguments) throws InterruptedException {
        Dpa dpa = Dpa.builder(Device.openHost(HOST)).start();
        if (arguments[0].equals("refused")) {
            try {
                JavaKernels.of(dpa);
            } catch (UnsupportedOperationException e) {
                System.out.println(e.getMessage());
            }
            dpa.close();
            return;
        }
        CountDownLatch begun = new CountDownLatch(KERNELS);
        DpaFunction forEver = JavaKernels.of(dpa).rpc("for ever", (context, numbers) -> {
            begun.countDown();
            long polls = 0;
            while (numbers[0] == 0 || !context.pollCompletion(0)) {
                polls++;
                if (numbers[0] == 2 && polls == 1000) {
                    begun.await();
                    System.exit(7);
                }
            }
            return polls;
        });
        for (int i = 0; i < KERNELS; i++) {
            long number = i < 2 ? i : arguments[0].equals("exit") ? 2 : 1;
            Thread caller = new Thread(() -> dpa.rpc(forEver, number));
            caller.setDaemon(true);
            caller.start();
        }
        begun.await();
        System.out.println("begun");
        if (arguments[0].equals("exit")) {
            Thread.sleep(Long.MAX_VALUE);
        }
    }
}
