package samples.telemetry;

import com.sun.management.OperatingSystemMXBean;
import examples.Publisher;
import io.github.comch4j.core.*;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/** On the DPU: {@code Dpu [MILLISECONDS]} publishes its load and free memory, to any number of hosts. */
public class Dpu {
    public static void main(String[] args) throws InterruptedException {
        long interval = args.length > 0 ? Long.parseLong(args[0]) : 100;
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        MemorySegment bytes = Arena.ofAuto().allocate(Reading.BYTES);
        try (var device = Device.openDpu(PciAddress.of("0000:03:00.0"));
                var function = device.openRepresentor(PciAddress.of("0000:b1:00.0"));
                var publisher = new Publisher(device, function, "telemetry")) {
            System.out.println("a reading every " + interval + " ms");
            int hosts = 0;
            long missed = 0;
            for (long number = 1; !Thread.interrupted(); number++) {
                new Reading(number, system.getCpuLoad(), system.getFreeMemorySize()).to(bytes);
                publisher.publish(bytes); // out of one place in memory; who is behind misses this one
                publisher.progress();
                if (publisher.subscribers() != hosts || publisher.missed() > 2 * missed) {
                    hosts = publisher.subscribers();
                    missed = publisher.missed();
                    System.out.println(hosts + (hosts == 1 ? " host" : " hosts") + "; slow ones have missed " + missed
                            + " readings");
                }
                Thread.sleep(interval);
            }
        }
    }
}
