package io.github.comch4j.cli.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.cli.program.ProgramException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Settings on their way to a server, which trusts none of them. */
class PlanTest {
    private static final Plan PLAN =
            new Plan(PerfPath.SLOTS, false, true, 4096, 128, 64, 2, 0, 1_000_000_000, 7, 0, Plan.Binding.SHARED);

    @Test
    void whatIsToldIsUnderstood() {
        assertThat(Plan.of(PLAN.text())).isEqualTo(PLAN);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "size=4096 size=0",
                "size=4096 size=2147483647",
                "size=4096 size=x",
                "depth=128 depth=0",
                "depth=128 depth=1000000",
                "threads=2 threads=65",
                "burst=64 burst=-1",
                "length=1000000000 length=0",
                "count=7 count=-1",
                "pause=0 pause=1000",
                "kind=slots kind=msgq",
                "kind=slots kind=calls",
                "kind=slots kind=pigeons",
                "latency=false latency=true",
                "binding=SHARED binding=GLUE",
                "warmup=0 cold=0",
            })
    void whatMakesNoSenseIsRefused(String change) {
        String[] words = change.split(" ");
        assertThat(PLAN.text()).contains(words[0]);
        String changed = PLAN.text().replace(words[0], words[1]);
        assertThatThrownBy(() -> Plan.of(changed)).isInstanceOf(ProgramException.class);
    }

    @Test
    void buffersThatHaveNoRoomAreRefused() {
        String changed = PLAN.text().replace("size=4096", "size=1073741824");
        assertThatThrownBy(() -> Plan.of(changed)).hasMessageContaining("more than 4 GiB of buffers");
    }
}
