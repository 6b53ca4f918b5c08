/**
 * The endpoint API: a service on the DPU that listens under a name, clients on the host that connect to it, and calls
 * that send to and receive from a peer, without engines, contexts and callbacks. DOCA had it from 1.5 to 2.8 as
 * {@code doca_comm_channel}; here it runs with any release.
 *
 * {@snippet file="Pieces.java" region="channelservice"}
 *
 * {@snippet file="Pieces.java" region="channelclient"}
 *
 * <p>What carries it is the endpoint API of DOCA where the libraries have it, and Comch where they do not
 * ({@link io.github.comch4j.channel.Carrier}). Both ends of a channel need the same carrier. Where the two behave
 * differently, {@code docs/channel.md} has it in a table.
 *
 * <p><b>Threads.</b> An endpoint and its peers belong to no thread, but to one at a time: a call while another thread
 * is in one throws {@link WrongThreadException}. So threads that share an endpoint need a lock around their calls.
 * Arming and waiting for events ({@code arm…}, {@code await…}), {@code close}, and what says so, need none.
 */
@Experimental("DOCA has removed this API after 2.8, and no libdoca_comm_channel but the emulated one and that of 2.5"
        + " without a card has carried it; it is stable once it was tried on a card")
@NullMarked
package io.github.comch4j.channel;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
