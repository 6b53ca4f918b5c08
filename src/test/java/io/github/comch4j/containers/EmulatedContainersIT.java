package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.github.dockerjava.api.exception.NotFoundException;
import examples.ContainersExample;
import examples.HelloClient;
import examples.HelloServer;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.testing.EmulatedContainers;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.testcontainers.containers.GenericContainer;

/** What programs of others do with EmulatedContainers; the other tests of this package use it as well. */
@Tag("containers")
@Docker.Needed
@Timeout(300)
class EmulatedContainersIT {
    @Test
    void twoContainersTalk() {
        assertThat(ContainersExample.talk(
                        Box.container(List.of(), HelloServer.class, "hello"),
                        Box.container(List.of(), HelloClient.class, "hello")))
                .contains("the DPU answers: hello");
    }

    @Test
    void twoMachinesDoNotSeeEachOther() {
        try (var one = EmulatedContainers.create();
                var other = EmulatedContainers.create();
                GenericContainer<?> server = one.join(Box.container(List.of(), HelloServer.class, "hello"), Side.DPU);
                Box stranger = Box.Plan.java(other, Side.HOST, HelloClient.class, "hello")
                        .environment("DOCA_EMU_CONNECT_WAIT", "0")
                        .start()) {
            server.start();
            assertThat(stranger.exitCode()).isNotZero();
            assertThat(stranger.output()).contains("finds no server \"hello\"");
        }
    }

    @Test
    void theVolumeIsGoneAfterwards() {
        EmulatedContainers machine = EmulatedContainers.create();
        String volume = machine.toString().replaceAll(".* ", "");
        assertThat(Docker.client().inspectVolumeCmd(volume).exec().getName()).isEqualTo(volume);
        machine.close();
        machine.close();
        assertThatExceptionOfType(NotFoundException.class)
                .isThrownBy(() -> Docker.client().inspectVolumeCmd(volume).exec());
    }
}
