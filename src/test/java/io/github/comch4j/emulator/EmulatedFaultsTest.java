package io.github.comch4j.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.Machine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.comch.ComchClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EmulatedFaultsTest {

    @BeforeEach
    void emulated() {
        Machine.useEmulation();
    }

    @AfterEach
    void whole() {
        EmulatedFaults.clear();
    }

    @Test
    void areWrittenAsTheVariableTakesThem() {
        EmulatedFaults all = new EmulatedFaults()
                .refuse(2)
                .acceptDelay(Duration.ofMillis(3))
                .again(4)
                .failSend(5, DocaError.IO_FAILED)
                .breakSend(5, DocaError.UNKNOWN)
                .failReceive(6, DocaError.DRIVER)
                .breakReceive(7, DocaError.TIME_OUT)
                .loseReceive(8, DocaError.IO_FAILED)
                .drop(7)
                .latency(Duration.ofNanos(8000))
                .bandwidth(9);
        assertThat(all)
                .hasToString("refuse=2,accept_delay=3,again=4,fail_send=5:IO_FAILED,break_send=5:UNKNOWN,"
                        + "fail_recv=6:DRIVER,break_recv=7:TIME_OUT,lose_recv=8:IO_FAILED,"
                        + "drop=7,latency=8,bandwidth=9");
        all.apply(); // the device understands each of them
        assertThat(EmulatedFaults.available()).isTrue();
    }

    @Test
    void impossibleOnesAreRefused() {
        assertThatThrownBy(() -> new EmulatedFaults().refuse(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("refuse");
        assertThatThrownBy(() -> new EmulatedFaults().failSend(1, DocaError.SUCCESS))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSendFailsOrFindsNoRoom() {
        try (Machine machine = new Machine()) {
            List<DocaError> failures = new ArrayList<>();
            machine.server().start();
            ComchClient client = machine.client()
                    .onSendFailed((connection, error) -> failures.add(error))
                    .connect(Machine.PATIENCE);
            new EmulatedFaults().again(1).apply();
            assertThat(client.connection().trySend(new byte[1])).isEqualTo(SubmitResult.NO_RECEIVE);
            assertThat(client.connection().trySend(new byte[1]).accepted()).isTrue();
            new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
            assertThat(client.connection().trySend(new byte[1]).accepted()).isTrue();
            machine.until("the failure", () -> !failures.isEmpty());
            assertThat(failures).containsExactly(DocaError.IO_FAILED);
        }
    }
}
