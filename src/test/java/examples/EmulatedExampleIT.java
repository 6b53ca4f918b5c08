package examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.comch4j.DocaError;
import io.github.comch4j.comch.*;
import io.github.comch4j.core.*;
import io.github.comch4j.emulator.*;
import io.github.comch4j.testing.EmulatedBlueField;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** Tests of a program that uses this library. */
@SuppressWarnings("try") // servers answer by themselves
// @start region="test"
@EmulatedBlueField // each test has a host with a BlueField to itself
class EmulatedExampleIT {
    @Test
    void messagesComeBack(
            @EmulatedBlueField.Host Device host,
            @EmulatedBlueField.Dpu Device dpu,
            Representor function,
            ProgressEngine engine) {
        var answers = new ArrayList<String>();
        try (var server = ComchServer.builder(engine, dpu, function, "echo")
                        .onMessage((connection, message) -> connection.enqueue(message))
                        .start();
                var client = ComchClient.builder(engine, host, "echo")
                        .onMessage((connection, message) -> answers.add(StandardCharsets.UTF_8.decode(message.asByteBuffer()).toString()))
                        .connect(Duration.ofSeconds(5))) {
            client.connection().send("hello".getBytes(StandardCharsets.UTF_8));
            assertTrue(engine.await(() -> !answers.isEmpty(), Duration.ofSeconds(5)));
            assertEquals("hello", answers.get(0));
        } // what stays open fails the test
    }

    // @end

    // @start region="peer"
    @Test
    void theOtherSideIsAProcessOfItsOwn(EmulatedMachine machine) {
        PeerProcess server = machine.peer(EmulatedMachine.Side.DPU, HelloServer.class, "hello").start();
        server.awaitLine("is ready");
        HelloClient.main(new String[] {"hello"}); // opens its device itself: that of the test's machine
    } // the server's process is ended, and what it has written is in the report
    // @end

    @Test
    void aLateFailureIsTold(
            @EmulatedBlueField.Host Device host,
            @EmulatedBlueField.Dpu Device dpu,
            Representor function,
            ProgressEngine engine) {
        // @start region="faults"
        var failures = new ArrayList<DocaError>();
        try (var server = ComchServer.builder(engine, dpu, function, "echo").start();
                var client = ComchClient.builder(engine, host, "echo")
                        .onSendFailed((connection, error) -> failures.add(error))
                        .connect(Duration.ofSeconds(5))) {
            new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply(); // of this test's machine, and until it ends
            client.connection().send(new byte[1]);
            assertTrue(engine.await(() -> !failures.isEmpty(), Duration.ofSeconds(5)));
        }
        // @end
        assertEquals(DocaError.IO_FAILED, failures.get(0));
    }

    @Test
    void withoutJUnit() throws Exception {
        // @start region="machine"
        try (EmulatedMachine machine = EmulatedMachine.create()) {
            int devices = machine.call(() -> Device.list().size()); // in here, this machine's
            assertEquals(4, devices);
        }
        // @end
    }
}
