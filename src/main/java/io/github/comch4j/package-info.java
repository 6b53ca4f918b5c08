/**
 * Where a program starts: which native library is in use ({@link io.github.comch4j.core.Doca}), and the words that
 * every other package shares, the error codes ({@link io.github.comch4j.DocaError}) and exceptions.
 *
 * <h2>Which class is mine</h2>
 *
 * <p>The figures are of the emulated device, between two processes: the time from one message of 64 bytes to the next
 * while many are sent, from near cores to far ones ({@code docs/performance-figures.md}).
 *
 * <table>
 * <caption>A door for each need</caption>
 * <tr><th>what you have</th><th>the class to take</th><th>what it costs</th></tr>
 * <tr><td>a message now and then, up to 4 KB</td>
 *     <td>{@link io.github.comch4j.comch.ComchClient}, {@link io.github.comch4j.comch.ComchServer}:
 *     {@link io.github.comch4j.comch.ComchConnection#send(byte[])}, and a handler at the other end</td>
 *     <td>75 to 190 ns</td></tr>
 * <tr><td>the same, from threads that want to wait, also virtual ones</td>
 *     <td>{@link io.github.comch4j.io.MessageSocket}, {@link io.github.comch4j.io.MessageServerSocket}</td>
 *     <td>310 to 330 ns</td></tr>
 * <tr><td>questions that have an answer, with deadlines, from any threads, also virtual ones</td>
 *     <td>{@link io.github.comch4j.rpc.RpcClient}, {@link io.github.comch4j.rpc.RpcServer}</td>
 *     <td>0.4 to 0.7 µs a call with 1,000 callers, 6 µs of a lone one</td></tr>
 * <tr><td>a stream of bytes, such as a file</td>
 *     <td>{@link io.github.comch4j.io.ComchOutputChannel}, {@link io.github.comch4j.io.ComchInputChannel}</td>
 *     <td>a copy on each side</td></tr>
 * <tr><td>small records that may wait for each other for a moment</td>
 *     <td>{@link io.github.comch4j.io.RecordWriter}, {@link io.github.comch4j.io.RecordReader}: many in one
 *     message</td>
 *     <td>3 to 7 ns</td></tr>
 * <tr><td>small messages, each of which goes out for itself</td>
 *     <td>{@link io.github.comch4j.comch.SlotProducer}, {@link io.github.comch4j.comch.SlotConsumer}: written and read
 *     in place</td>
 *     <td>18 to 33 ns</td></tr>
 * <tr><td>large payloads, without a copy by the program</td>
 *     <td>{@link io.github.comch4j.comch.ComchProducer}, {@link io.github.comch4j.comch.ComchConsumer}, with
 *     {@link io.github.comch4j.core.Buffer}s of a {@link io.github.comch4j.core.BufferPool}</td>
 *     <td>24 to 41 ns, and 34 to 40 µs for 1 MiB</td></tr>
 * <tr><td>one payload for many peers, each with a {@link io.github.comch4j.comch.ComchConsumer}</td>
 *     <td>{@link io.github.comch4j.comch.Broadcast}</td>
 *     <td>as above, each</td></tr>
 * <tr><td>a program for Netty or gRPC</td>
 *     <td>{@link io.github.comch4j.netty.ComchChannel}, {@link io.github.comch4j.netty.ComchServerChannel}</td>
 *     <td>the first row and what Netty takes</td></tr>
 * <tr><td>a program for {@code doca_comm_channel} of DOCA 1.5 to 2.8</td>
 *     <td>{@link io.github.comch4j.channel.ChannelClient}, {@link io.github.comch4j.channel.ChannelService}</td>
 *     <td>1.5 to 1.9 µs there and back</td></tr>
 * <tr><td>the other side's memory itself, by DMA</td>
 *     <td>{@link io.github.comch4j.dma.DmaContext}, {@link io.github.comch4j.core.MemoryMap#exportPci}</td>
 *     <td>62 to 88 ns, and 23 to 53 µs for 1 MiB, within a process</td></tr>
 * <tr><td>a kernel on the card's DPA</td>
 *     <td>{@link io.github.comch4j.dpa.MessageQueue}, {@link io.github.comch4j.dpa.Dpa}</td>
 *     <td>0.3 to 1.1 µs there and back</td></tr>
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
 * <p><b>One payload for many peers</b>
 *
 * {@snippet file="Publisher.java" region="publish"}
 *
 * <h2>The words for sending</h2>
 *
 * <ul>
 *   <li>{@code send} of connections and sockets waits for room, at most for the engine's timeout, and progresses the
 *       engine meanwhile; in a handler, where nothing may wait, it queues.
 *   <li>{@code trySend} submits now, or answers what there was no room for ({@link io.github.comch4j.SubmitResult}):
 *       {@code NO_TASK}, all tasks of this side are in flight, and progress here frees them; {@code NO_RECEIVE}, the
 *       peer has no receive posted, and has to post.
 *   <li>{@code enqueue} of producers queues the program's own buffer, without a copy; the queue goes out with the
 *       engine's next progress, or with {@code flush}.
 *   <li>{@code claim} of slots and records gives a place to write in, or a number below 0, and {@code commit} queues
 *       what was written there; {@code offer} does both with a copy.
 *   <li>{@code tryPost} of consumers has the peer's next payload go into a buffer.
 *   <li>{@code acquire} takes a buffer out of an inventory, and throws if none is left, where {@code tryAcquire}, which
 *       pools have as well, answers null; {@code close} gives it back, and {@code release} to a pool.
 * </ul>
 *
 * <p>What waits has a {@link java.time.Duration} or is {@code send}, {@code call}, {@code copy}, {@code close}, or
 * reading and writing of channels; nothing else waits. What may be missing is {@code @Nullable}, and
 * {@code Optional} where it is a property that a device may not have. What is marked
 * {@link io.github.comch4j.Experimental} may change in any release.
 *
 * <h2>Failures</h2>
 *
 * <p>The type of a failure tells which of four kinds it is:
 *
 * <ul>
 *   <li>{@link io.github.comch4j.DocaException}: DOCA refused, a connection ended
 *       ({@link io.github.comch4j.comch.ConnectionClosedException}), or a device is not there
 *       ({@link io.github.comch4j.core.NoSuchDeviceException}); carries DOCA's code and function;
 *   <li>{@link IllegalStateException}, {@link IllegalArgumentException}, {@link WrongThreadException}: the program
 *       called something at the wrong time, with wrong values, or from the wrong thread; nothing reached DOCA;
 *   <li>{@link io.github.comch4j.NativeLibraryException}: no usable native library, or a function that this DOCA
 *       release lacks;
 *   <li>whatever a handler of the program threw: rethrown by the call that ran it, usually
 *       {@link io.github.comch4j.core.ProgressEngine#progress()}, unless it ran for a connection of a server, which it
 *       ends ({@link io.github.comch4j.comch.ComchServer}).
 * </ul>
 *
 * <p>A full queue, and a peer that has no receive posted, are return values and never an exception.
 */
@NullMarked
package io.github.comch4j;

import org.jspecify.annotations.NullMarked;
