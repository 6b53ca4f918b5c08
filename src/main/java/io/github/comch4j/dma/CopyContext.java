package io.github.comch4j.dma;

import io.github.comch4j.core.Device;
import io.github.comch4j.internal.call.DmaCalls;
import io.github.comch4j.internal.life.Engine;
import io.github.comch4j.internal.life.Handle;
import io.github.comch4j.transfer.TransferContext;

/** The {@code doca_ctx} of a DMA context. */
final class CopyContext extends TransferContext {
    private final DmaContext dma;

    CopyContext(DmaContext dma, Device device, Handle handle, Engine engine) {
        super(DmaCalls.get(), "DMA on " + device, device, engine, null, handle);
        this.dma = dma;
    }

    @Override
    public RuntimeException ended(String function, String action) {
        return new IllegalStateException(name() + " has stopped because a copy failed; call restart()");
    }

    @Override
    protected void afterStateChange(int previous, int next) {
        dma.stateChanged(next);
    }
}
