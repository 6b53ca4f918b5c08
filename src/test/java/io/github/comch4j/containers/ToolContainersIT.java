package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.command.CreateContainerCmd;
import io.github.comch4j.cli.Comch;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.testing.EmulatedContainers;
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

    /** Neither a card nor an SDK: what there is, and that the emulated machine works. */
    @Test
    void theDoctorWhereThereAreNoDevices() {
        Box doctor = boxes.start(comch(Side.BOTH, "doctor", "--json"));
        assertThat(doctor.exitCode()).as(doctor.output()).isZero();
        assertThat(doctor.output())
                .contains(
                        "those of the emulated BlueField, as was asked for",
                        "/fabric is this user's, and no server in it is dead or stopped",
                        "went from 0000:b1:00.0 to 0000:03:00.0 and back in ")
                .doesNotContain("\"bad\"");
        Box one = boxes.start(comch(Side.DPU, "doctor"));
        assertThat(one.exitCode()).as(one.output()).isZero();
        assertThat(one.output()).contains("not tried: this machine has the DPU's side only");
    }

    /** From within the containers each sees itself; who sees all processes sees both. */
    @Test
    void theMachineOfTwoContainers() {
        boxes.start(comch(Side.DPU, "serve")).await("0000:03:00.0 serves");
        boxes.start(comch(Side.HOST, "ping", "-c", "0", "-i", "0.01")).await("64 bytes from");
        Box blind = boxes.start(comch(Side.HOST, "top", "--once"));
        assertThat(blind.exitCode()).as(blind.output()).isZero();
        assertThat(blind.output()).startsWith("/fabric: 0 servers, 0 connections");
        Box seeing = boxes.start(comch(Side.HOST, "top", "--once").with(ToolContainersIT::seesAllProcesses));
        assertThat(seeing.exitCode()).as(seeing.output()).isZero();
        assertThat(seeing.output())
                .contains(": 1 server, 1 connection")
                .containsPattern("comch4j-ping +0000:b1:00.0 +\\d+ +\\d+ +[1-9]");
        Box listing = boxes.start(comch(Side.HOST, "list").with(ToolContainersIT::seesAllProcesses));
        assertThat(listing.exitCode()).as(listing.output()).isZero();
        assertThat(listing.output()).contains("Comch serve", "Comch ping");
    }

    private static void seesAllProcesses(CreateContainerCmd create) {
        create.getHostConfig().withPidMode("host");
        Box.allowTracing(create);
    }
}
