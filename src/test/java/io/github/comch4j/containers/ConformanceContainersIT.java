package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.cli.Comch;
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

    private Box half(Fabric fabric, String side, String... options) {
        String[] arguments = new String[options.length + 3];
        arguments[0] = "conformance";
        arguments[1] = "--side";
        arguments[2] = side;
        System.arraycopy(options, 0, arguments, 3, options.length);
        return boxes.start(Box.Plan.java(fabric, side, Comch.class, arguments)
                .environment("DOCA_EMU_CONNECT_WAIT", "0")); // a client without a server is refused at once
    }

    @Test
    void allAnswersAreAsExpected() {
        Fabric fabric = boxes.share(new Fabric());
        Box dpu = half(fabric, "dpu").await("waiting");
        Box host = half(fabric, "host", "--quick");
        assertThat(host.result()).contains(" 0 differ, 0 not answered");
        assertThat(dpu.result()).contains(" 0 differ, 0 not answered");
    }
}
