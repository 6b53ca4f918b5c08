package io.github.comch4j;

import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.core.Representor;
import io.github.comch4j.testing.EmulatedBlueField;
import org.junit.jupiter.api.BeforeEach;

/** Tests on a machine of their own, with an event loop on either side and a name for a server. */
@EmulatedBlueField
public abstract class TwoLoops {
    protected final String name = Machine.uniqueName();
    protected Device host;
    protected Device dpu;
    protected Representor representor;
    protected EventLoop hostLoop;
    protected EventLoop dpuLoop;

    @BeforeEach
    void take(
            @EmulatedBlueField.Host Device host,
            @EmulatedBlueField.Dpu Device dpu,
            Representor representor,
            @EmulatedBlueField.Host EventLoop hostLoop,
            @EmulatedBlueField.Dpu EventLoop dpuLoop) {
        this.host = host;
        this.dpu = dpu;
        this.representor = representor;
        this.hostLoop = hostLoop;
        this.dpuLoop = dpuLoop;
    }
}
