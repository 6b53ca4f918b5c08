package samples.telemetry;

import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import java.time.Duration;
import java.util.Locale;

/** On the host: {@code Host [READINGS [PAUSE]]} prints so many readings; after each, a slow one pauses, in ms. */
public class Host {
    private long seen;
    private long last;
    private long missed;

    public static void main(String[] args) throws InterruptedException {
        new Host().watch(args.length > 0 ? Long.parseLong(args[0]) : 20, args.length > 1 ? Long.parseLong(args[1]) : 0);
    }

    private void watch(long readings, long pause) throws InterruptedException {
        try (var engine = ProgressEngine.create();
                var device = Device.openHost(PciAddress.of("0000:b1:00.0"));
                var client = ComchClient.builder(engine, device, "telemetry").connect(Duration.ofSeconds(10));
                var memory =
                        MemoryMap.allocate(device, 4 * Reading.BYTES, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
                var consumer = client.connection()
                        .consumer(engine, memory)
                        .buffers(4, Reading.BYTES) // so many can wait for a host that is busy
                        .onReceive((self, buffer, producer, immediate) -> show(Reading.of(buffer.data())))
                        .start(Duration.ofSeconds(10))) {
            System.out.println("consumer " + consumer.id() + " waits for readings");
            while (seen < readings) {
                long before = seen;
                if (!engine.await(() -> seen > before, Duration.ofSeconds(10))) {
                    throw new IllegalStateException("the DPU is silent");
                }
                Thread.sleep(pause);
            }
            System.out.println(seen + " readings seen, " + missed + " missed");
        }
    }

    private void show(Reading reading) {
        missed += seen == 0 ? 0 : reading.number() - last - 1;
        last = reading.number();
        seen++;
        int bar = (int) Math.round(Math.max(reading.load(), 0) * 30);
        System.out.println(String.format(
                Locale.ROOT,
                "#%-5d load %3.0f %% %-30s free %.1f GiB",
                reading.number(),
                100 * reading.load(),
                "#".repeat(bar),
                reading.free() / 0x1p30));
    }
}
