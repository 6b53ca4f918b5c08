/**
 * The types that every other package shares: the error codes ({@link io.github.comch4j.DocaError}) and the exceptions.
 * The native library in use is described by {@link io.github.comch4j.core.Doca}.
 *
 * <h2>Which class to use</h2>
 *
 * <p>The figures were measured on the emulated device, between two processes. Each is the time from one message of 64
 * bytes to the next while many are sent; the range covers near and far processor cores
 * ({@code docs/performance-figures.md}).
 *
 * <table>
 * <caption>The class for each purpose</caption>
 * <tr><th>purpose</th><th>class</th><th>cost</th></tr>
 * <tr><td>occasional messages of up to 4 KB</td>
 *     <td>{@link io.github.comch4j.comch.ComchClient}, {@link io.github.comch4j.comch.ComchServer}:
 *     {@link io.github.comch4j.comch.ComchConnection#send(byte[])}, and a handler at the other end</td>
 *     <td>75 to 190 ns</td></tr>
 * <tr><td>the same, from threads that wait, including virtual threads</td>
 *     <td>{@link io.github.comch4j.io.MessageSocket}, {@link io.github.comch4j.io.MessageServerSocket}</td>
 *     <td>310 to 330 ns</td></tr>
 * <tr><td>requests with responses and deadlines, from any thread, including virtual threads</td>
 *     <td>{@link io.github.comch4j.rpc.RpcClient}, {@link io.github.comch4j.rpc.RpcServer}</td>
 *     <td>0.4 to 0.7 µs per call with 1,000 callers, 6 µs with a single caller</td></tr>
 * <tr><td>a stream of bytes, such as a file</td>
 *     <td>{@link io.github.comch4j.io.ComchOutputChannel}, {@link io.github.comch4j.io.ComchInputChannel}</td>
 *     <td>a copy on each side</td></tr>
 * <tr><td>small records that may wait briefly to share a message</td>
 *     <td>{@link io.github.comch4j.io.RecordWriter}, {@link io.github.comch4j.io.RecordReader}: many records in one
 *     message</td>
 *     <td>3 to 7 ns</td></tr>
 * <tr><td>small messages that are sent individually</td>
 *     <td>{@link io.github.comch4j.comch.SlotProducer}, {@link io.github.comch4j.comch.SlotConsumer}: messages are
 *     written and read in place</td>
 *     <td>18 to 33 ns</td></tr>
 * <tr><td>large payloads, without a copy by the program</td>
 *     <td>{@link io.github.comch4j.comch.ComchProducer}, {@link io.github.comch4j.comch.ComchConsumer}, with
 *     {@link io.github.comch4j.core.Buffer}s of a {@link io.github.comch4j.core.BufferPool}</td>
 *     <td>24 to 41 ns, and 34 to 40 µs for 1 MiB</td></tr>
 * <tr><td>one payload for many peers, each with a {@link io.github.comch4j.comch.ComchConsumer}</td>
 *     <td>{@link io.github.comch4j.comch.Broadcast}</td>
 *     <td>as above, per peer</td></tr>
 * <tr><td>a program that uses Netty or gRPC</td>
 *     <td>{@link io.github.comch4j.netty.ComchChannel}, {@link io.github.comch4j.netty.ComchServerChannel}</td>
 *     <td>the first row plus Netty's own cost</td></tr>
 * <tr><td>a peer that uses {@code doca_comm_channel} of DOCA 1.5 to 2.8</td>
 *     <td>{@link io.github.comch4j.channel.ChannelClient}, {@link io.github.comch4j.channel.ChannelService}</td>
 *     <td>1.5 to 1.9 µs per round trip</td></tr>
 * <tr><td>access to the other side's memory by DMA</td>
 *     <td>{@link io.github.comch4j.dma.DmaContext}, {@link io.github.comch4j.core.MemoryMap#exportPci}</td>
 *     <td>62 to 88 ns, and 23 to 53 µs for 1 MiB, within a process</td></tr>
 * <tr><td>a kernel on the card's DPA</td>
 *     <td>{@link io.github.comch4j.dpa.MessageQueue}, {@link io.github.comch4j.dpa.Dpa}</td>
 *     <td>0.3 to 1.1 µs per round trip</td></tr>
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
 * <h2>Method names for sending</h2>
 *
 * <ul>
 *   <li>{@code send} of connections and sockets waits for room, at most for the engine's timeout, and progresses the
 *       engine meanwhile. In a handler, which must not wait, {@code enqueue} of connections sends the message or
 *       queues a copy of it.
 *   <li>{@code trySend} submits at once, or returns which resource was missing
 *       ({@link io.github.comch4j.SubmitResult}). With {@code NO_TASK}, all tasks of this side are in flight, and
 *       progress here frees them. With {@code NO_RECEIVE}, the peer has no receive posted, and must post one.
 *   <li>{@code enqueue} of producers queues the program's own buffer, without a copy. The engine's next progress, or
 *       {@code flush}, submits the queue.
 *   <li>{@code claim} of slots and records returns a place to write to, or a number below 0. {@code commit} queues what
 *       the program wrote there. {@code offer} does both, with a copy.
 *   <li>{@code tryPost} of consumers posts a buffer for the peer's next payload.
 *   <li>{@code acquire} takes a buffer from an inventory, and throws an exception if none is left. {@code tryAcquire},
 *       which pools have as well, returns null instead. {@code close} returns the buffer to its inventory,
 *       {@code release} to its pool.
 * </ul>
 *
 * <p>The only methods that wait are those with a {@link java.time.Duration} parameter, {@code send}, {@code call},
 * {@code copy}, {@code close}, and the reads and writes of channels. A value that may be missing is {@code @Nullable};
 * a property that a device may lack is an {@code Optional}. An API marked {@link io.github.comch4j.Experimental} may
 * change in any release.
 *
 * <h2>Failures</h2>
 *
 * <p>The type of an exception shows the kind of failure:
 *
 * <ul>
 *   <li>{@link io.github.comch4j.DocaException}: DOCA refused, a connection ended
 *       ({@link io.github.comch4j.comch.ConnectionClosedException}), or a device does not exist
 *       ({@link io.github.comch4j.core.NoSuchDeviceException}); the exception has DOCA's code and function;
 *   <li>{@link IllegalStateException}, {@link IllegalArgumentException}, {@link WrongThreadException}: the program
 *       called a method at the wrong time, with wrong values, or from the wrong thread, and the call did not reach
 *       DOCA;
 *   <li>{@link io.github.comch4j.NativeLibraryException}: there is no usable native library, or this DOCA release lacks
 *       a function;
 *   <li>any exception that a handler of the program throws: the call that ran the handler rethrows it, usually
 *       {@link io.github.comch4j.core.ProgressEngine#progress()}. If the handler ran for a connection of a server, the
 *       exception ends that connection instead ({@link io.github.comch4j.comch.ComchServer}).
 * </ul>
 *
 * <p>A full queue, or a peer that has posted no receive, is reported by a return value, never by an exception.
 */
@NullMarked
package io.github.comch4j;

import org.jspecify.annotations.NullMarked;
