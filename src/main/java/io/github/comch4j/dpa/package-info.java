/**
 * The DPA of a device, the programs on it, and MsgQ, which carries messages between the CPU and the DPA.
 *
 * <p>A {@link io.github.comch4j.dpa.Dpa} loads an application ({@link io.github.comch4j.dpa.DpaApplication}), which
 * DPACC has made of C sources. Everything else is made by it: memory, threads, completions, calls. A
 * {@link io.github.comch4j.dpa.MessageQueue} has one direction; its ends on the CPU are contexts of a progress engine,
 * those on the DPA are objects with a handle that the host program hands to its kernels.
 *
 * <p>Objects of a DPA may be used from any thread. Ends of queues on the CPU belong to the thread that owns their
 * engine.
 *
 * <p>Closing closes what depends on it first, so objects may be closed in any order; threads are stopped before
 * anything that their kernels may use is closed with them.
 */
@Experimental("no program of it has met a DPA yet; it is stable once the queues, launches and threads were tried on a"
        + " BlueField-3")
@NullMarked
package io.github.comch4j.dpa;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
