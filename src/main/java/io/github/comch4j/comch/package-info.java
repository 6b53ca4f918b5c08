/**
 * DOCA Comch: messages between a host and its BlueField over PCIe.
 *
 * <p><b>Control path.</b> A {@link io.github.comch4j.comch.ComchServer} on the DPU serves one host function under a
 * name. Any number of {@link io.github.comch4j.comch.ComchClient}s on the host connect to it. Server and client each
 * get a {@link io.github.comch4j.comch.ComchConnection} and send each other messages of up to about 4 KB, in order,
 * exactly once.
 *
 * <p><b>Fast path.</b> Each end of a connection can have {@link io.github.comch4j.comch.ComchProducer}s and
 * {@link io.github.comch4j.comch.ComchConsumer}s, each on any engine. A consumer posts buffers. A producer of the peer
 * copies its own buffers directly into them.
 *
 * <h2>A complete server</h2>
 *
 * {@snippet file="EchoServer.java" region="program"}
 *
 * <h2>A complete client</h2>
 *
 * {@snippet file="EchoClient.java" region="program"}
 *
 * <p>On a machine without a BlueField, both programs run unchanged on the emulated one in the jar. Put each program
 * into a file of its own, and run them in two terminals, server first:
 *
 * <pre>
 * java --enable-native-access=ALL-UNNAMED -cp comch4j.jar EchoServer.java demo
 * java --enable-native-access=ALL-UNNAMED -cp comch4j.jar EchoClient.java demo</pre>
 *
 * The client prints {@code hello} and {@code 4096 bytes}. On real devices, each program runs on its own side, and the
 * addresses differ. {@link io.github.comch4j.core.Device#list()} and
 * {@link io.github.comch4j.core.Device#representors()} return them. If you prefer blocking calls to handlers, use
 * {@link io.github.comch4j.io.MessageSocket}. To move streams of bytes, use
 * {@link io.github.comch4j.io.ComchOutputChannel}.
 *
 * <h2>Names</h2>
 *
 * <p>A type whose name begins with {@code Comch} represents an object of DOCA Comch, {@code doca_comch_…}: server,
 * client, connection, producer, consumer. Other types have no prefix: handlers, states, records, exceptions, and
 * endpoints, which are the common part of two such types.
 *
 * <h2>Threads and callbacks</h2>
 *
 * <p>Each object belongs to the thread that owns its engine. Handlers run inside
 * {@link io.github.comch4j.core.ProgressEngine#progress()} of that engine. {@code ProgressEngine} describes what they
 * may do.
 */
@NullMarked
package io.github.comch4j.comch;

import org.jspecify.annotations.NullMarked;
