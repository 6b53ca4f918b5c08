package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.cli.Comch;
import io.github.comch4j.testing.EmulatedContainers;
import io.github.comch4j.testing.EmulatedMachine.Side;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The tool on the host and on the DPU, in two containers. */
@Tag("containers")
@Docker.Needed
@Timeout(300)
class ToolContainersIT {
    @RegisterExtension
    private final Boxes boxes = new Boxes();

    private EmulatedContainers machine;

    @BeforeEach
    void open() {
        machine = boxes.share(EmulatedContainers.create());
    }

    private Box.Plan comch(Side side, String... arguments) {
        return Box.Plan.java(machine, side, Comch.class, arguments);
    }

    @Test
    void filesThereAndBack() {
        boxes.start(comch(Side.DPU, "cp", "--serve", "/tmp")).await("serves /tmp");
        Box tree = boxes.start(comch(Side.HOST, "cp", "-v", "-r", "/etc/apt", "dpu:"));
        assertThat(tree.exitCode()).as(tree.output()).isZero();
        Box there = boxes.start(comch(Side.HOST, "cp", "-v", "/etc/os-release", "dpu:name"));
        assertThat(there.exitCode()).as(there.output()).isZero();
        assertThat(there.output()).contains("comch: copied 1 of 1 file, ");
        Box back = boxes.start(comch(Side.HOST, "cp", "-v", "dpu:name", "/tmp/back"));
        assertThat(back.exitCode()).as(back.output()).isZero();
        assertThat(back.output()).contains("comch: copied 1 of 1 file, ");
        Box out = boxes.start(comch(Side.HOST, "cp", "dpu:../etc/passwd", "/tmp/back"));
        assertThat(out.exitCode()).isEqualTo(1);
        assertThat(out.output()).contains("not the name of a file: ..");
    }

    @Test
    void linesThereAndBack() {
        Box receiver = boxes.start(comch(Side.DPU, "recv", "--exec", "sed 's/^/> /'"));
        Box sender = boxes.start(comch(Side.HOST, "send", "-W", "60")
                .with(create -> create.withEntrypoint("sh", "-c", "printf 'one\\ntwo\\n' | \"$@\"", "sh")));
        assertThat(sender.exitCode()).as(sender.output()).isZero();
        assertThat(sender.output().lines()).contains("> one", "> two");
        assertThat(receiver.exitCode()).as(receiver.output()).isZero();
    }
}
