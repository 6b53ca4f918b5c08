package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.cli.Comch;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.testing.EmulatedContainers;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The two halves of the conformance kit in two containers. */
@Tag("containers")
@Docker.Needed
@Timeout(300)
class ConformanceContainersIT {
    @RegisterExtension
    private final Boxes boxes = new Boxes();

    private Box half(EmulatedContainers machine, Side side, String... options) {
        String[] arguments = new String[options.length + 3];
        arguments[0] = "conformance";
        arguments[1] = "--side";
        arguments[2] = side.toString();
        System.arraycopy(options, 0, arguments, 3, options.length);
        return boxes.start(Box.Plan.java(machine, side, Comch.class, arguments)
                .environment("DOCA_EMU_CONNECT_WAIT", "0")); // a client without a server is refused at once
    }

    @Test
    void allAnswersAreAsExpected() {
        EmulatedContainers machine = boxes.share(EmulatedContainers.create());
        Box dpu = half(machine, Side.DPU).await("waiting");
        Box host = half(machine, Side.HOST, "--quick");
        assertThat(host.result()).contains(" 0 differ, 0 not answered");
        assertThat(dpu.result()).contains(" 0 differ, 0 not answered");
    }
}
