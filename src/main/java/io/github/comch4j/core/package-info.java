/**
 * DOCA Core: {@linkplain io.github.comch4j.core.Device devices} and representors, the
 * {@linkplain io.github.comch4j.core.ProgressEngine progress engine}, which runs everything, and the
 * {@linkplain io.github.comch4j.core.MemoryMap memory maps} and {@linkplain io.github.comch4j.core.Buffer buffers} of
 * the zero-copy fast path.
 *
 * <p><b>Closing.</b> All objects of this package are {@link AutoCloseable}. They can be closed in any order: an object
 * first closes the objects that depend on it, in DOCA's order, and drains operations in flight. Closing twice does
 * nothing. Garbage collection closes nothing. Any thread may close an object on the engine of an
 * {@link io.github.comch4j.core.EventLoop}, directly or together with another object: the loop closes it, and the
 * thread waits as {@link io.github.comch4j.core.EventLoop#close()} does. If the engine belongs to another thread that
 * is not an event loop's, closing throws {@link WrongThreadException}.
 *
 * <p><b>Threads.</b> An engine and everything connected to it belong to one thread at a time. Any thread may use
 * devices, maps and inventories.
 */
@NullMarked
package io.github.comch4j.core;

import org.jspecify.annotations.NullMarked;
