/**
 * The DPA of a device, the programs on it, and MsgQ, which carries messages between the CPU and the DPA.
 *
 * <p>A {@link io.github.comch4j.dpa.Dpa} loads an application ({@link io.github.comch4j.dpa.DpaApplication}), which
 * DPACC has built from C sources. The DPA creates everything else: memory, threads, completions, calls. A
 * {@link io.github.comch4j.dpa.MessageQueue} has one direction. Its ends on the CPU are contexts of a progress engine.
 * Its ends on the DPA are objects with a handle that the host program passes to its kernels.
 *
 * <p>Any thread may use the objects of a DPA. Ends of queues on the CPU belong to the thread that owns their engine.
 *
 * <p>Closing an object first closes what depends on it, so you can close objects in any order. Before it closes
 * anything that kernels may use, the library stops their threads.
 */
@Experimental("nobody has run it on a DPA yet; it is stable once the queues, launches and threads were tested on a"
        + " BlueField-3")
@NullMarked
package io.github.comch4j.dpa;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
