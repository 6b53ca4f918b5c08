/**
 * DOCA Comch: messages between a host and its BlueField over PCIe.
 *
 * <p><b>Control path.</b> A {@link io.github.comch4j.comch.ComchServer} on the DPU serves one host function under a
 * name; any number of {@link io.github.comch4j.comch.ComchClient}s on the host connect to it. Both get a
 * {@link io.github.comch4j.comch.ComchConnection} and send each other messages of up to about 4 KB, in order, exactly
 * once.
 *
 * <p><b>Fast path.</b> On a connection each end may have {@link io.github.comch4j.comch.ComchProducer}s and
 * {@link io.github.comch4j.comch.ComchConsumer}s, each on an engine of its choice. A consumer posts buffers; a producer
 * of the peer copies its own buffers straight into them.
 *
 * <h2>A whole server</h2>
 *
 * {@snippet file="EchoServer.java" region="program"}
 *
 * <h2>A whole client</h2>
 *
 * {@snippet file="EchoClient.java" region="program"}
 *
 * <p>On a machine without a BlueField both run as they are, on the emulated one that is in the jar: put each into a
 * file of its own, then, in two terminals, server first,
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp comch4j.jar EchoServer.java demo
 * java --enable-native-access=ALL-UNNAMED -cp comch4j.jar EchoClient.java demo</pre>
 *
 * The client prints {@code hello} and {@code 4096 bytes}. On real devices the addresses are others;
 * {@link io.github.comch4j.core.Devices#list()} and {@link io.github.comch4j.core.Device#representors()} tell them, and
 * each program runs on its side. Programs that want calls that wait rather than handlers have
 * {@link io.github.comch4j.io.MessageSocket}; those that move streams of bytes,
 * {@link io.github.comch4j.io.ComchOutputChannel}.
 *
 * <h2>Names</h2>
 *
 * <p>A type whose name begins with {@code Comch} stands for an object of DOCA Comch, {@code doca_comch_…}: server,
 * client, connection, producer, consumer. What belongs to these, and is no such object, has no prefix: endpoints, which
 * are what two of them have in common, handlers, states, records and exceptions.
 *
 * <h2>Threads and callbacks</h2>
 *
 * <p>Everything belongs to the thread that owns its engine. Handlers run inside
 * {@link io.github.comch4j.core.ProgressEngine#progress()} of that engine; what they may do is described there.
 */
@NullMarked
package io.github.comch4j.comch;

import org.jspecify.annotations.NullMarked;
