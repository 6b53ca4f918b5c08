package io.github.comch4j.channel;

import io.github.comch4j.Machine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A contract that holds whatever carries the messages. */
@ParameterizedClass(name = "{0}")
@EnumSource(names = "COMCH")
abstract class BothCarriers {
    @Parameter
    Carrier carrier;

    ChannelMachine machine;

    @BeforeEach
    void open() {
        Machine.useEmulation();
        machine = new ChannelMachine(carrier);
    }

    @AfterEach
    void close() {
        machine.close();
    }
}
