/**
 * DOCA Comch: messages between a host and its BlueField over PCIe.
 *
 * <p><b>Control path.</b> A {@link io.github.comch4j.comch.ComchServer} on the DPU serves one host function under a name; any number of
 * {@link io.github.comch4j.comch.ComchClient}s on the host connect to it. Both sides get a {@link io.github.comch4j.comch.ComchConnection} and send each other messages
 * of up to about 4 KB, in order, exactly once.
 *
 * <p><b>Fast path.</b> On a connection each side may have {@link io.github.comch4j.comch.ComchProducer}s and
 * {@link io.github.comch4j.comch.ComchConsumer}s, each on an engine of its choice. A consumer posts buffers; a producer of the other side copies its own buffers straight
 * into them.
 *
 * <p>Everything belongs to the thread that owns its engine. Handlers run inside {@link io.github.comch4j.core.ProgressEngine#progress()} of that engine; what
 * they may do is described there.
 */
package io.github.comch4j.comch;
