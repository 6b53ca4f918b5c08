/**
 * DOCA Core: {@linkplain io.github.comch4j.core.Devices devices} and representors, the
 * {@linkplain io.github.comch4j.core.ProgressEngine progress engine} that everything runs on, and the
 * {@linkplain io.github.comch4j.core.MemoryMap memory maps} and {@linkplain io.github.comch4j.core.Buffer buffers} of
 * the zero-copy fast path.
 *
 * <p><b>Closing.</b> Everything here is {@link AutoCloseable}. Objects may be closed in any order: one that others
 * depend on closes those first, in DOCA's order, and drains what is in flight. Closing twice does nothing. Nothing is
 * closed by garbage collection. What runs on the engine of an {@link io.github.comch4j.core.EventLoop} may be closed by
 * any thread, by itself or with something else: it is handed to the loop, and waited for as
 * {@link io.github.comch4j.core.EventLoop#close()} does. What runs on an engine of another thread that is no event loop
 * cannot ({@link WrongThreadException}).
 *
 * <p><b>Threads.</b> An engine and what is connected to it belong to one thread at a time; devices, maps and
 * inventories may be used from any.
 */
@NullMarked
package io.github.comch4j.core;

import org.jspecify.annotations.NullMarked;
