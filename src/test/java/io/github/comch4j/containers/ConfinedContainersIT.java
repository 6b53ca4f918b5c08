package io.github.comch4j.containers;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.dockerjava.api.model.Capability;
import io.github.comch4j.emulator.EmulatedMachine.Side;
import io.github.comch4j.testing.EmulatedContainers;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Containers as strict operators run them: what must work works, and what cannot work says why in one sentence. */
@Tag("containers")
@Docker.Needed
@Timeout(300)
class ConfinedContainersIT {
    private static final long MIB = 1 << 20;

    @RegisterExtension
    private final Boxes boxes = new Boxes();

    private EmulatedContainers machine;

    private Box.Plan server() {
        return Box.Plan.java(machine, Side.DPU, EchoServer.class, "echo", "1");
    }

    private Box.Plan client(int rounds) {
        return Box.Plan.java(machine, Side.HOST, EchoClient.class, "echo", Integer.toString(rounds));
    }

    /** Runs both sides and sees that every message and payload came back. */
    private void assertWorks(Box.Plan dpu, Box.Plan host) {
        Box server = boxes.start(dpu).await("READY");
        Box client = boxes.start(host);
        assertThat(client.result()).startsWith("DONE ");
        assertThat(server.result()).startsWith("DONE clients=1 lost=0 ");
    }

    /** The program ends with an exception, and the sentence is in it. */
    private void assertFails(Box.Plan plan, String... sentence) {
        Box box = boxes.start(plan);
        assertThat(box.exitCode()).as(box.output()).isEqualTo(1);
        assertThat(box.output()
                        .lines()
                        .filter(line -> line.startsWith("Exception in thread"))
                        .toList())
                .singleElement()
                .asString()
                .contains(sentence);
    }

    private static Box.Plan readOnly(Box.Plan plan) {
        return plan.with(create ->
                create.getHostConfig().withReadonlyRootfs(true).withTmpFs(Map.of("/tmp", "rw,noexec,nosuid,size=16m")));
    }

    @Test
    void aReadOnlyRootAndATmpThatIsNotExecutable() {
        machine = boxes.share(EmulatedContainers.create());
        assertWorks(readOnly(server()), readOnly(client(3)));
    }

    @Test
    void nowhereToLoadALibraryFrom() {
        machine = boxes.share(EmulatedContainers.create("mode=0700,noexec"));
        assertFails(
                readOnly(server()),
                "cannot load from /tmp, which may be mounted noexec",
                "cannot load from /fabric, which may be mounted noexec",
                "set comch4j.native.dir to a folder that is writable and not mounted noexec");
    }

    /** The connections' memory is not in /dev/shm: 64 MB there is Docker's default, and 1 MB is as good. */
    @Test
    void littleSharedMemory() {
        machine = boxes.share(EmulatedContainers.create());
        assertWorks(
                server().with(create -> create.getHostConfig().withShmSize(64 * MIB)),
                client(20).with(create -> create.getHostConfig().withShmSize(MIB)));
    }

    @Test
    void aMemoryLimit() {
        machine = boxes.share(EmulatedContainers.create());
        assertWorks(
                server().with(create ->
                        create.getHostConfig().withMemory(160 * MIB).withMemorySwap(160 * MIB)),
                client(20)
                        .with(create ->
                                create.getHostConfig().withMemory(160 * MIB).withMemorySwap(160 * MIB)));
    }

    @Test
    void anOrdinaryUserWithoutAnyCapability() {
        machine = boxes.share(EmulatedContainers.create("uid=4711,gid=4711,mode=0700"));
        assertWorks(unprivileged(server(), "4711:4711"), unprivileged(client(3), "4711:4711"));
    }

    private static Box.Plan unprivileged(Box.Plan plan, String user) {
        return plan.user(user)
                .with(create -> create.getHostConfig()
                        .withCapDrop(Capability.ALL)
                        .withSecurityOpts(List.of("no-new-privileges")));
    }

    @Test
    void differentUsersAreToldWhatToDo() {
        machine = boxes.share(EmulatedContainers.create("uid=4711,gid=4711,mode=0755"));
        assertFails(
                client(1).user("4712:4712"),
                "the fabric folder /fabric belongs to user 4711 and this process runs as user 4712",
                "run both sides as one user, or share a group's folder with DOCA_EMU_SHARE=group");
    }

    @Test
    void differentUsersOfOneGroupShareAMachine() {
        machine = boxes.share(EmulatedContainers.create("uid=0,gid=4800,mode=2770"));
        assertWorks(
                unprivileged(server(), "4711:4800").environment("DOCA_EMU_SHARE", "group"),
                unprivileged(client(3), "4712:4800").environment("DOCA_EMU_SHARE", "group"));
    }

    @Test
    void aUserOutsideTheGroupIsToldWhy() {
        machine = boxes.share(EmulatedContainers.create("uid=0,gid=4800,mode=2775"));
        assertFails(
                client(1).user("4712:4712").environment("DOCA_EMU_SHARE", "group"),
                "and group 4800 and has mode 2775: with DOCA_EMU_SHARE=group,"
                        + " user 4712 must be in its group (it is not)");
    }

    @Test
    void aServerThatIsNotThere() {
        machine = boxes.share(EmulatedContainers.create());
        assertFails(
                Box.Plan.java(machine, Side.HOST, List.of("-Dpatience=1"), EchoClient.class, "echo", "1")
                        .environment("DOCA_EMU_CONNECT_WAIT", "0"),
                "client finds no server \"echo\" on 0000:b1:00.0: none runs in the fabric folder");
    }
}
