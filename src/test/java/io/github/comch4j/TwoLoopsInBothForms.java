package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.comch.BothForms;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.IdleStrategy;
import io.github.comch4j.core.Representor;
import io.github.comch4j.testing.EmulatedBlueField;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** As {@link TwoLoops}, with the batch library and without it; nothing may fail in the loops. */
@EmulatedBlueField
public abstract class TwoLoopsInBothForms extends BothForms {
    protected final String name = Machine.uniqueName();
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    protected Device host;
    protected Device dpu;
    protected Representor representor;
    protected EventLoop hostLoop;
    protected EventLoop dpuLoop;

    @BeforeEach
    void openLoops() {
        host = Device.openHost(Machine.HOST);
        dpu = Device.openDpu(Machine.DPU);
        representor = dpu.openRepresentor(Machine.HOST);
        hostLoop = EventLoop.start("host", IdleStrategy.eventDriven(), failures::add);
        dpuLoop = EventLoop.start("dpu", IdleStrategy.eventDriven(), failures::add);
    }

    @AfterEach
    void closeLoops() {
        hostLoop.close();
        dpuLoop.close();
        host.close();
        dpu.close();
        assertThat(failures).as("of the loops").isEmpty();
    }
}
