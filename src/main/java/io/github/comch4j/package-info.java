/**
 * Where a program starts: which native library is in use ({@link io.github.comch4j.core.Doca}), and the words that
 * every other package shares, the error codes ({@link io.github.comch4j.DocaError}) and exceptions.
 *
 * <h2>Which class is mine</h2>
 *
 * <p>What the emulated device takes for one of 64 bytes, sent one after the other between two processes, on cores that
 * are near to each other or far ({@code docs/performance.md} says how it was measured):
 *
 * <table>
 * <caption>A door for each need</caption>
 * <tr><th>what you have</th><th>the class to take</th><th>what it costs</th></tr>
 * <tr><td>a message now and then, up to 4 KB</td>
 *     <td>{@link io.github.comch4j.comch.ComchConnection#send(byte[])} of a
 *     {@link io.github.comch4j.comch.ComchClient} or {@link io.github.comch4j.comch.ComchServer}; handlers get
 *     them</td>
 *     <td>75 to 190 ns</td></tr>
 * <tr><td>the same from many threads, or virtual ones, that want to wait</td>
 *     <td>{@link io.github.comch4j.io.ComchSocket} and {@link io.github.comch4j.io.ComchServerSocket}</td>
 *     <td>310 to 330 ns</td></tr>
 * <tr><td>calls that have an answer</td>
 *     <td>{@link io.github.comch4j.rpc.RpcClient} and {@link io.github.comch4j.rpc.RpcServer}</td>
 *     <td>0.4 to 0.7 µs each with 1,000 callers, 6 µs for one alone</td></tr>
 * <tr><td>a stream of bytes: files</td>
 *     <td>{@link io.github.comch4j.io.ComchOutputChannel} and {@link io.github.comch4j.io.ComchInputChannel}</td>
 *     <td>a copy on each side</td></tr>
 * <tr><td>a stream of small records</td>
 *     <td>{@link io.github.comch4j.io.RecordWriter} and {@link io.github.comch4j.io.RecordReader}, which put many into
 *     one message</td>
 *     <td>3 to 7 ns</td></tr>
 * <tr><td>small messages, each for itself, at the highest rates</td>
 *     <td>{@link io.github.comch4j.comch.SlotProducer} and {@link io.github.comch4j.comch.SlotConsumer}, which are
 *     written and read in place</td>
 *     <td>18 to 33 ns</td></tr>
 * <tr><td>megabytes, without a copy by the program</td>
 *     <td>{@link io.github.comch4j.comch.ComchProducer} and {@link io.github.comch4j.comch.ComchConsumer}, with
 *     {@link io.github.comch4j.core.Buffer}s of a {@link io.github.comch4j.core.BufferPool}</td>
 *     <td>24 to 41 ns, and 34 to 40 µs for 1 MiB</td></tr>
 * <tr><td>one payload for many peers</td>
 *     <td>{@link io.github.comch4j.comch.Broadcast}</td>
 *     <td>one send each, no copy</td></tr>
 * <tr><td>a program for Netty or gRPC</td>
 *     <td>{@link io.github.comch4j.netty.ComchChannel}</td>
 *     <td>the control path and Netty</td></tr>
 * <tr><td>a program for the old Comm Channel API</td>
 *     <td>{@link io.github.comch4j.channel.ChannelClient} and
 *     {@link io.github.comch4j.channel.ChannelService}</td>
 *     <td>1.5 to 1.9 µs there and back</td></tr>
 * <tr><td>a kernel on the card's DPA</td>
 *     <td>{@link io.github.comch4j.dpa.MessageQueue} and {@link io.github.comch4j.dpa.Dpa}</td>
 *     <td>160 ns on the host</td></tr>
 * </table>
 *
 * <p><b>Messages</b>
 *
 * {@snippet file="Pieces.java" region="server"}
 *
 * <p><b>Sockets</b>
 *
 * {@snippet file="Pieces.java" region="socket"}
 *
 * <p><b>Calls</b>
 *
 * {@snippet file="RpcExample.java" region="client"}
 *
 * <p><b>Streams of bytes</b>
 *
 * {@snippet file="Pieces.java" region="output"}
 *
 * <p><b>Records</b>
 *
 * {@snippet file="Pieces.java" region="records-write"}
 *
 * <p><b>Slots</b>
 *
 * {@snippet file="Pieces.java" region="slots"}
 *
 * <p><b>Buffers</b>
 *
 * {@snippet file="Pieces.java" region="pool"}
 *
 * <p><b>Netty</b>
 *
 * {@snippet file="NettyEcho.java" region="client"}
 *
 * <p><b>Comm Channel</b>
 *
 * {@snippet file="Pieces.java" region="channelclient"}
 *
 * <p><b>A kernel</b>
 *
 * {@snippet file="KernelInJava.java" region="host"}
 *
 * <h2>The words for sending</h2>
 *
 * <ul>
 *   <li>{@code send} waits for room; in a handler, where nothing may wait, it queues.
 *   <li>{@code trySend} submits now, and says what there was no room for ({@link io.github.comch4j.SubmitResult}).
 *   <li>{@code enqueue} queues the program's own buffer, without a copy; the queue goes out with the engine's next
 *       progress, or with {@code flush}.
 *   <li>{@code claim} gives a place to write in, which {@code commit} queues; {@code offer} does both with a copy.
 *   <li>{@code acquire} takes a buffer out of an inventory or a pool; {@code release} gives it back.
 * </ul>
 *
 * <p>What may be missing is {@code @Nullable}, and {@code Optional} where it is a property that a device may not have.
 * What is marked {@link io.github.comch4j.Experimental} may change in any release; nothing else does within a major
 * version.
 *
 * <h2>Failures</h2>
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
 * <p>A full queue, and a peer that has no receive posted, are return values and never an exception.
 */
@NullMarked
package io.github.comch4j;

import org.jspecify.annotations.NullMarked;
