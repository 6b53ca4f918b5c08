package io.github.comch4j.containers;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The one thing that the containers of an emulated machine share: a volume for its fabric folder. */
final class Fabric implements AutoCloseable {
    /** Where containers have it. */
    static final String FOLDER = "/fabric";

    private static final AtomicInteger NUMBER = new AtomicInteger();

    final String volume = "comch4j-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();

    /** A volume in memory with these mount options. */
    Fabric(String options) {
        Docker.client()
                .createVolumeCmd()
                .withName(volume)
                .withLabels(Docker.labels())
                .withDriver("local")
                .withDriverOpts(Map.of("type", "tmpfs", "device", "tmpfs", "o", "size=8m," + options))
                .exec();
    }

    /** Root's, as containers run unless told otherwise. */
    Fabric() {
        this("mode=0700");
    }

    @Override
    public void close() {
        Docker.client().removeVolumeCmd(volume).exec();
    }
}
