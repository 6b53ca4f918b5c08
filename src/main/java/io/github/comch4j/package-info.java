/**
 * Where a program starts: which native library is in use ({@link io.github.comch4j.core.Doca}), and the words that
 * every other package shares, the error codes ({@link io.github.comch4j.DocaError}) and exceptions.
 *
 * <p>Four kinds of failure are told apart by type:
 *
 * <ul>
 *   <li>{@link io.github.comch4j.DocaException}: DOCA refused, a connection ended
 *       ({@link io.github.comch4j.comch.ConnectionClosedException}), or a device is not there
 *       ({@link io.github.comch4j.core.NoSuchDeviceException}); carries DOCA's code and function;
 *   <li>{@link IllegalStateException}, {@link IllegalArgumentException}, {@link WrongThreadException}: the program
 *       called something at the wrong time, with wrong values, or from the wrong thread; nothing reached DOCA;
 *   <li>{@link io.github.comch4j.NativeLibraryException}: no usable native library, or a function that this DOCA
 *       release lacks;
 *   <li>whatever a callback of the program threw: rethrown by the call that ran it, usually
 *       {@link io.github.comch4j.core.ProgressEngine#progress()}.
 * </ul>
 *
 * What is expected in normal operation (no task free, no receive posted at the peer) is a return value and never an
 * exception.
 */
@NullMarked
package io.github.comch4j;

import org.jspecify.annotations.NullMarked;
