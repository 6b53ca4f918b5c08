package io.github.comch4j;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.Devices;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Tests with an event loop on either side of the emulated device, and a name for a server. */
public abstract class TwoLoops {
    protected final String name = Machine.uniqueName();
    protected Device host;
    protected Device dpu;
    protected Representor representor;
    protected EventLoop hostLoop;
    protected EventLoop dpuLoop;

    @BeforeEach
    void openLoops() {
        Machine.useEmulation();
        host = Devices.openHost(Machine.HOST);
        dpu = Devices.openDpu(Machine.DPU);
        representor = dpu.openRepresentor(Machine.HOST);
        hostLoop = EventLoop.start("host");
        dpuLoop = EventLoop.start("dpu");
    }

    @AfterEach
    void closeLoops() {
        hostLoop.close();
        dpuLoop.close();
        host.close();
        dpu.close();
    }
}
