package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import examples.HelloClient;
import examples.HelloServer;
import examples.tutorial.BufferClient;
import examples.tutorial.BufferServer;
import examples.tutorial.RecordClient;
import examples.tutorial.RecordServer;
import examples.tutorial.RoomClient;
import examples.tutorial.RoomServer;
import examples.tutorial.SteadyClient;
import examples.tutorial.SteadyServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The programs of docs/start, each in a process of its own, print what those pages say. */
@Timeout(120)
class TutorialTest {
    private final String name = Machine.uniqueName();

    private Child start(Class<?> main, String... arguments) {
        return Child.start(main, List.of("-Dcomch4j.library=emulated"), Map.of(), arguments);
    }

    private Child server(Class<?> main) {
        Child server = start(main, name);
        assertThat(server.line()).endsWith("is ready");
        return server;
    }

    private String client(Class<?> main, String... arguments) {
        try (Child client = start(main, arguments)) {
            String printed = client.rest();
            assertThat(client.exitCode()).isZero();
            return printed;
        }
    }

    @Test
    void aMessage() {
        try (Child _ = server(HelloServer.class)) {
            assertThat(client(HelloClient.class, name)).isEqualTo("the DPU answers: hello");
            assertThat(client(HelloClient.class, name)).isEqualTo("the DPU answers: hello");
        }
    }

    @Test
    void manyClients() {
        try (Child server = server(RoomServer.class);
                Child first = start(RoomClient.class, name, "is anybody here?", "1")) {
            assertThat(first.line()).isEqualTo("in the room");
            assertThat(client(RoomClient.class, name, "yes", "0")).isEqualTo("in the room");
            assertThat(first.rest()).isEqualTo("visitor 2: yes");
            assertThat(List.of(server.line(), server.line()))
                    .containsExactlyInAnyOrder("visitor 1 has left", "visitor 2 has left");
        }
    }

    @Test
    void aBufferWithoutACopy() {
        try (Child _ = server(BufferServer.class)) {
            assertThat(client(BufferClient.class, name)).isEqualTo("the DPU has 1048576 bytes, sum 8589869056");
            assertThat(client(BufferClient.class, name)).isEqualTo("the DPU has 1048576 bytes, sum 8589869056");
        }
    }

    @Test
    void aMillionRecords() {
        try (Child _ = server(RecordServer.class)) {
            assertThat(client(RecordClient.class, name))
                    .matches("the DPU has 1000000 records, sum 500000500000, in \\d{4} messages");
        }
    }

    @Test
    void whenTheOtherSideDies() {
        try (Child server = server(SteadyServer.class);
                Child client = start(SteadyClient.class, name, "1000000")) {
            String first = answer(client, "");
            server.kill();
            try (Child _ = server(SteadyServer.class)) {
                assertThat(answer(client, first)).isNotEqualTo(first);
            }
        }
    }

    /** The next answer that is another one. */
    private static String answer(Child client, String than) {
        String line;
        do {
            line = client.line();
            assertThat(line).isNotNull();
        } while (!line.startsWith("process ") || line.equals(than));
        return line;
    }
}
