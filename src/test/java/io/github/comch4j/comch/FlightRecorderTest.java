package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.DocaError;
import io.github.comch4j.emulator.EmulatedFaults;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class FlightRecorderTest {

    @Test
    void connectionsStatesAndFailuresAreRecorded(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("recording.jfr");
        String name;
        try (Recording recording = new Recording()) {
            recording.start();
            try (Machine machine = new Machine()) {
                name = machine.name;
                machine.server().start();
                boolean[] failed = new boolean[1];
                ComchClient client = machine.client().onSendFailed((connection, error) -> failed[0] = true).connect(Machine.PATIENCE);
                new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
                client.connection().send(new byte[1]);
                machine.until("the failure", () -> failed[0]);
                EmulatedFaults.clear();
            }
            recording.stop();
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertThat(events).filteredOn(event -> event.getEventType().getName().equals("comch4j.Connection"))
                .filteredOn(event -> event.getString("connection").contains("client \"" + name))
                .extracting(event -> event.getString("state")).containsExactly("OPEN", "CLOSED");
        assertThat(events).filteredOn(event -> event.getEventType().getName().equals("comch4j.ContextState"))
                .filteredOn(event -> event.getString("context").contains("client \"" + name))
                .extracting(event -> event.getString("next")).startsWith("STARTING", "RUNNING").endsWith("IDLE");
        assertThat(events).filteredOn(event -> event.getEventType().getName().equals("comch4j.SendFailed"))
                .extracting(event -> event.getString("error")).containsExactly("IO_FAILED");
    }
}
