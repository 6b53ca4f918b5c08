/**
 * The endpoint API: a service on the DPU listens under a name, clients on the host connect to it, and calls send to a
 * peer and receive from one. There are no engines, contexts and callbacks. DOCA had this API from 1.5 to 2.8 as
 * {@code doca_comm_channel}; here it works with any release.
 *
 * {@snippet file="Pieces.java" region="channelservice"}
 *
 * {@snippet file="Pieces.java" region="channelclient"}
 *
 * <p>The endpoint API of DOCA carries the messages if the libraries have it, otherwise Comch does
 * ({@link io.github.comch4j.channel.Carrier}). Both ends of a channel need the same carrier. A table in
 * {@code docs/channel.md} lists how the two differ.
 *
 * <p><b>Threads.</b> One thread at a time may use an endpoint and its peers. A call while another thread is using one
 * throws {@link WrongThreadException}, so threads that share an endpoint need a lock around their calls. The exceptions
 * are arming and waiting for events ({@code arm…}, {@code await…}), {@code close}, and methods whose description allows
 * any thread.
 */
@Experimental(
        "DOCA removed this API after 2.8; it was tested only with the emulated libdoca_comm_channel, and with that"
                + " of 2.5 without a card; it is stable once it was tested on a card")
@NullMarked
package io.github.comch4j.channel;

import io.github.comch4j.Experimental;
import org.jspecify.annotations.NullMarked;
