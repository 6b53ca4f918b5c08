package io.github.comch4j.dma;

import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.core.ProgressEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** A process on the host that exports its memory and does what it is told to: {@code NAME SIZE ACCESS...}. */
final class HostMemory {
    private HostMemory() {}

    public static void main(String[] arguments) throws IOException {
        Machine.useEmulation();
        Access[] access = new Access[arguments.length - 2];
        for (int i = 0; i < access.length; i++) {
            access[i] = Access.valueOf(arguments[i + 2]);
        }
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (ProgressEngine engine = ProgressEngine.create();
                Device host = Device.openHost(Machine.HOST);
                ComchClient client =
                        ComchClient.builder(engine, host, arguments[0]).connect(Machine.PATIENCE)) {
            MemoryMap memory = MemoryMap.allocate(host, Long.parseLong(arguments[1]), access);
            fill(memory.segment());
            client.connection().send(memory.exportPci(host));
            System.out.println("exported");
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (line.equals("close")) {
                    memory.close();
                    System.out.println("closed");
                } else {
                    String[] part = line.split(" "); // where, and how long
                    System.out.println(sum(memory.segment().asSlice(Long.parseLong(part[0]), Long.parseLong(part[1]))));
                }
            }
        }
    }

    static void fill(MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, at, at * 0x9e3779b97f4a7c15L);
        }
    }

    static String sum(MemorySegment memory) {
        CRC32 crc = new CRC32();
        crc.update(memory.asByteBuffer());
        return Long.toHexString(crc.getValue());
    }
}
