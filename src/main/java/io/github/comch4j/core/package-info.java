/**
 * DOCA Core: {@linkplain io.github.comch4j.core.Devices devices} and representors, the {@linkplain io.github.comch4j.core.ProgressEngine progress engine}
 * that everything runs on, and the {@linkplain io.github.comch4j.core.MemoryMap memory maps} and {@linkplain io.github.comch4j.core.Buffer buffers} of the
 * zero-copy fast path.
 *
 * <p><b>Closing.</b> Everything here is {@link AutoCloseable}. Objects may be closed in any order: one that others depend on closes those
 * first, in DOCA's order, and drains what is in flight. Closing twice does nothing. Nothing is closed by garbage collection.
 *
 * <p><b>Threads.</b> An engine and what is connected to it belong to one thread at a time; devices, maps and inventories may be used from any.
 */
package io.github.comch4j.core;
