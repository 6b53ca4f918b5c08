package io.github.comch4j.channel;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A contract that holds whatever carries the messages. Where the libraries lack a carrier, its half is left out. */
@ParameterizedClass(name = "{0}")
@EnumSource
abstract class BothCarriers {
    @Parameter
    Carrier carrier;

    ChannelMachine machine;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        if (carrier == Carrier.COMM_CHANNEL) {
            Feature.COMM_CHANNEL.assume();
        }
        machine = new ChannelMachine(carrier);
    }

    @AfterEach
    void close() {
        if (machine != null) {
            machine.close();
        }
    }

    /** The rest of the test needs a service that ends one connection. */
    void needsDisconnect() {
        if (carrier == Carrier.COMCH) {
            Feature.DISCONNECT.assume();
        }
    }
}
