/**
 * DMA: the device copies data between memory maps, of this process or of another process that has exported them. The
 * host exports its memory ({@link io.github.comch4j.core.MemoryMap#exportPci}) and sends the descriptor over Comch. The
 * DPU imports the memory ({@link io.github.comch4j.core.MemoryMap#importFrom}). A
 * {@link io.github.comch4j.dma.DmaContext} copies to and from it without the host's processor.
 */
@Experimental(
        "it was tested only on the emulated device; it is stable once copies in both directions, and the end of an"
                + " exporter, were tested on a BlueField")
@NullMarked
package io.github.comch4j.dma;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
