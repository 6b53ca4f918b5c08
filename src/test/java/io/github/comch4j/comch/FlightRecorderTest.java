package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Child;
import io.github.comch4j.DocaError;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.Machine;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.NeedsEasyMachine;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Buffer;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.ProgressEngine;
import io.github.comch4j.emulator.EmulatedFaults;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a flight recording has about this library. Other tests of the JVM may be recorded too, so events are told apart
 * by the connection's number.
 */
@Timeout(120)
class FlightRecorderTest {
    @TempDir
    private Path folder;

    @AfterEach
    void noMoreFaults() {
        EmulatedFaults.clear();
    }

    private interface Work {
        void run() throws Exception;
    }

    private List<RecordedEvent> record(Work work) throws Exception {
        Path file = folder.resolve("recording.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file);
    }

    private static List<RecordedEvent> only(List<RecordedEvent> events, String type, String field, String text) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("comch4j." + type)
                        && event.getString(field).contains(text))
                .toList();
    }

    @Test
    void connectionsAndStates() throws Exception {
        String[] name = new String[1];
        List<RecordedEvent> events = record(() -> {
            try (Pair pair = new Pair()) {
                name[0] = pair.machine.name;
                pair.hostSide.producer(pair.machine.engine).start();
                pair.client.close();
                pair.machine.until("the server's end of it", () -> !pair.dpuSide.isOpen());
            }
        });
        for (String side : List.of("client", "server")) {
            assertThat(only(events, "Connection", "connection", side + " \"" + name[0]))
                    .extracting(event -> event.getString("state"))
                    .containsExactly("OPEN", "CLOSED");
        }
        List<RecordedEvent> producer = only(events, "ContextState", "context", "client \"" + name[0] + "\"").stream()
                .filter(event -> event.getString("context").startsWith("producer "))
                .toList();
        assertThat(producer)
                .extracting(event -> event.getString("next"))
                .startsWith("RUNNING")
                .endsWith("IDLE");
        List<RecordedEvent> client = only(events, "ContextState", "context", "client \"" + name[0] + "\"").stream()
                .filter(event -> event.getString("context").startsWith("client"))
                .toList();
        assertThat(client)
                .extracting(event -> event.getString("next"))
                .startsWith("STARTING", "RUNNING")
                .endsWith("IDLE");
        assertThat(client.getFirst().getString("previous")).isEqualTo("IDLE");
    }

    @Test
    @NeedsEasyMachine("a task fails alone")
    void tasksThatFail() throws Exception {
        String[] names = new String[3];
        List<RecordedEvent> events = record(() -> {
            try (Pair pair = new Pair()) {
                int[] ended = new int[2];
                ComchConsumer consumer = pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .buffers(4, Pair.SLOT)
                        .onReceiveFailed((self, buffer, error) -> ended[1]++)
                        .start(Machine.PATIENCE);
                ComchProducer producer = pair.hostSide
                        .producer(pair.machine.engine)
                        .onCompletion((self, buffer, error) -> ended[0]++)
                        .start();
                names[0] = pair.hostSide.toString();
                names[1] = producer.toString();
                names[2] = consumer.toString();
                Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);

                new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
                pair.hostSide.send(new byte[1]);
                pair.machine.until("the failure of a message", () -> !pair.failures.isEmpty());
                new EmulatedFaults().failSend(1, DocaError.DRIVER).apply();
                pair.machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
                pair.machine.until("the failure of a send", () -> ended[0] == 1);
                new EmulatedFaults().failReceive(1, DocaError.IO_FAILED).apply();
                pair.machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
                pair.machine.until("the failure of a receive", () -> ended[1] == 1);
                EmulatedFaults.clear();
                assertThat(producer.failed()).isEqualTo(1);
                assertThat(consumer.failed()).isEqualTo(1);
                assertThat(pair.hostSide.failed()).isEqualTo(1);
            } // the buffers that are posted still come back; that is no failure
        });
        assertThat(only(events, "TaskFailed", "of", names[0]))
                .filteredOn(event -> event.getString("of").equals(names[0]))
                .extracting(event -> event.getString("task") + " " + event.getString("error"))
                .containsExactly("message IO_FAILED");
        assertThat(only(events, "TaskFailed", "of", names[1]))
                .extracting(event -> event.getString("task") + " " + event.getString("error"))
                .containsExactly("send DRIVER");
        assertThat(only(events, "TaskFailed", "of", names[2]))
                .extracting(event -> event.getString("task") + " " + event.getString("error"))
                .containsExactly("receive IO_FAILED");
    }

    @Test
    void episodesOfBackPressure() throws Exception {
        String[] names = new String[2];
        List<RecordedEvent> events = record(() -> {
            try (Pair pair = new Pair()) {
                ComchConsumer consumer = pair.dpuSide
                        .consumer(pair.machine.engine, pair.receiveMemory)
                        .tasks(1)
                        .repost(false)
                        .start(Machine.PATIENCE);
                ComchProducer producer =
                        pair.hostSide.producer(pair.machine.engine).start();
                names[0] = pair.hostSide.toString();
                names[1] = producer.toString();
                Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);
                pair.machine.until("the consumer is known", () -> pair.hostSide.remoteConsumers().length == 1);
                for (int attempt = 0; attempt < 3; attempt++) { // nothing is posted
                    assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
                }
                consumer.tryPost(consumer.acquire(0, Pair.SLOT));
                pair.machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
                assertThat(producer.trySend(buffer, consumer.id()))
                        .isEqualTo(SubmitResult.NO_RECEIVE); // and never room again

                while (pair.hostSide.trySend(new byte[8]).accepted()) { // all four tasks
                    assertThat(pair.hostSide.sent()).isLessThan(5);
                }
                pair.machine.until(
                        "room for a message",
                        () -> pair.hostSide.trySend(new byte[8]).accepted());
                assertThat(pair.hostSide.backPressures()).isEqualTo(1);
                assertThat(producer.backPressures()).isEqualTo(2);
            }
        });
        List<RecordedEvent> ofProducer = only(events, "BackPressure", "of", names[1]);
        assertThat(ofProducer)
                .extracting(event -> event.getString("reason") + " " + event.getBoolean("room"))
                .containsExactly("NO_RECEIVE true", "NO_RECEIVE false");
        assertThat(ofProducer.getFirst().getLong("refusals")).isGreaterThanOrEqualTo(3);
        assertThat(ofProducer.getLast().getLong("refusals")).isEqualTo(1);
        assertThat(ofProducer)
                .allSatisfy(event -> assertThat(event.getDuration().toNanos()).isPositive());
        List<RecordedEvent> ofConnection = only(events, "BackPressure", "of", names[0]).stream()
                .filter(event -> event.getString("of").equals(names[0]))
                .toList();
        assertThat(ofConnection).singleElement().satisfies(event -> {
            assertThat(event.getString("reason")).isEqualTo("NO_TASK");
            assertThat(event.getBoolean("room")).isTrue();
            assertThat(event.getLong("refusals")).isPositive();
        });
    }

    @Test
    void anEpisodeThatBeganBeforeTheRecordingIsNotInIt() throws Exception {
        try (Pair pair = new Pair()) {
            ComchConsumer consumer = pair.dpuSide
                    .consumer(pair.machine.engine, pair.receiveMemory)
                    .tasks(1)
                    .repost(false)
                    .start(Machine.PATIENCE);
            ComchProducer producer = pair.hostSide.producer(pair.machine.engine).start();
            Buffer buffer = producer.acquire(pair.sendMemory, 0, 10);
            pair.machine.until("the consumer is known", () -> pair.hostSide.remoteConsumers().length == 1);
            assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
            List<RecordedEvent> events = record(() -> {
                assertThat(producer.trySend(buffer, consumer.id())).isEqualTo(SubmitResult.NO_RECEIVE);
                consumer.tryPost(consumer.acquire(0, Pair.SLOT));
                pair.machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
            });
            assertThat(only(events, "BackPressure", "of", producer.toString())).isEmpty();
            assertThat(producer.backPressures()).isEqualTo(1);
        }
    }

    @Test
    void eachRecordingTellsWhichLibraryItIs() throws Exception {
        Machine.useEmulation();
        LibraryInfo info = Doca.library(); // loaded long before, perhaps
        List<RecordedEvent> events;
        try (ProgressEngine engine = ProgressEngine.create()) {
            events = record(engine::progress);
        }
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("comch4j.Library"))
                .isNotEmpty()
                .allSatisfy(event -> {
                    assertThat(event.getString("kind")).isEqualTo(info.kind().name());
                    assertThat(event.getString("location")).isEqualTo(info.location());
                    assertThat(event.getString("version")).isEqualTo(info.version());
                    assertThat(event.getString("reason")).isEqualTo(info.reason());
                });
    }

    @Test
    void aRecordingThatRunsBeforeTheLibraryIsLoadedHasItToo() throws Exception {
        Path file = folder.resolve("child.jfr");
        try (Child child = Child.start(
                Recorded.class, List.of("-XX:StartFlightRecording:filename=" + file), Map.of(), "emulated")) {
            assertThat(child.rest()).endsWith("EMULATED");
            assertThat(child.exitCode()).isZero();
        }
        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> event.getEventType().getName().equals("comch4j.Library"))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.getString("kind")).isEqualTo("EMULATED"));
    }

    @Test
    void aLibraryThatCannotBeLoadedIsRecorded() throws Exception {
        Path file = folder.resolve("child.jfr");
        String missing = folder.resolve("nothing").toString();
        try (Child child =
                Child.start(Recorded.class, List.of("-XX:StartFlightRecording:filename=" + file), Map.of(), missing)) {
            assertThat(child.rest()).endsWith("none");
            assertThat(child.exitCode()).isZero();
        }
        assertThat(RecordingFile.readAllEvents(file))
                .filteredOn(event -> event.getEventType().getName().equals("comch4j.Library"))
                .singleElement()
                .satisfies(event -> {
                    assertThat(event.getString("kind")).isEqualTo("NONE");
                    assertThat(event.getString("reason")).contains(missing);
                });
    }

    @Test
    void whoDoesNotRecordDoesNotPayForTheRecorder() {
        try (Child child = Child.start(Recorded.class, List.of("-Xlog:class+load:stdout:tags"), Map.of(), "emulated")) {
            List<String> lines = child.rest()
                    .lines()
                    .filter(line -> line.contains("comch4j") || line.equals("EMULATED"))
                    .toList();
            assertThat(lines)
                    .contains("EMULATED")
                    .anyMatch(line -> line.contains("internal.observe.Events "))
                    .noneMatch(line -> line.contains("internal.observe.Events$Connection")
                            || line.contains("internal.observe.Events$Library"));
        }
    }

    /** A program that uses the library a little. */
    static final class Recorded {
        private Recorded() {}

        public static void main(String[] arguments) throws IOException {
            System.setProperty(Doca.LIBRARY_PROPERTY, arguments[0]);
            try {
                Doca.library();
            } catch (NativeLibraryException e) {
                System.out.println("none");
                return;
            }
            try (Pair pair = new Pair()) {
                pair.hostSide.send(new byte[1]);
            }
            System.out.println(Doca.library().kind());
        }
    }
}
