package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.Machine;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.MemoryMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists of buffers that another process sends, with limits of its own. */
@Timeout(120)
class BufferListIT {
    private final Machine machine = new Machine();
    private int received;

    @AfterEach
    void close() {
        machine.close();
    }

    private Child sender(String what, boolean batched, Map<String, String> variables) {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("DOCA_EMU_SIDE", "host");
        return Child.start(
                Gathering.class, List.of("-D" + Doca.BATCH_PROPERTY + "=" + batched), environment, what, machine.name);
    }

    /** The connection's consumer, of so many tasks: small payloads go another way to one that has many. */
    private void serve(int tasks) {
        MemoryMap memory =
                MemoryMap.allocate(machine.dpu, 2L * Gathering.LARGEST, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        machine.server()
                .onConnected(connection -> connection
                        .consumer(machine.engine, memory)
                        .tasks(tasks)
                        .buffers(2, Gathering.LARGEST)
                        .onReceive((consumer, buffer, producerId, immediate) ->
                                Gathering.check(received++, buffer.data(), immediate))
                        .start())
                .start();
    }

    @ParameterizedTest
    @CsvSource({"true, 1, 2", "true, 0, 100", "false, 1, 100", "false, 0, 2"})
    void theDataArriveInTheOrderOfTheList(boolean batched, String directWrites, int tasks) {
        serve(tasks);
        try (Child child = sender(
                "gather",
                batched,
                Map.of(
                        "DOCA_EMU_LIMITS",
                        "max_buf_list_len=" + Gathering.LIMIT,
                        "DOCA_EMU_DIRECT_WRITE",
                        directWrites))) {
            machine.until("all payloads", () -> received == Gathering.PAYLOADS);
            assertThat(child.rest()).isEqualTo("DONE");
            assertThat(child.exitCode()).isZero();
        }
        assertThat(received).isEqualTo(Gathering.PAYLOADS);
    }

    @Test
    void aDeviceThatTakesNoListsTakesListsOfOne() {
        MemoryMap memory = MemoryMap.allocate(machine.dpu, 64, Access.LOCAL_READ_WRITE, Access.PCI_READ_WRITE);
        machine.server()
                .onConnected(connection -> connection
                        .consumer(machine.engine, memory)
                        .buffers(2, 32)
                        .onReceive((consumer, buffer, producerId, immediate) -> received++)
                        .start())
                .start();
        try (Child child = sender("limit", true, Map.of("DOCA_EMU_LIMITS", "max_buf_list_len=1"))) {
            machine.until("the list of one", () -> received == 1);
            assertThat(child.rest().lines())
                    .containsExactly(
                            "1",
                            "a list of 2 buffers; device " + Machine.HOST + " takes at most 1",
                            "false false",
                            "DONE");
        }
    }
}
