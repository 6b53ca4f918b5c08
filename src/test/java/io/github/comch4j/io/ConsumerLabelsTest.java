package io.github.comch4j.io;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.BothForms;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchServer;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.emulator.EmulatedFaults;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConsumerLabelsTest extends BothForms {
    private static final byte[] LAST = {1, 2, 3};

    private final Machine machine = new Machine();
    private final MemoryMap memory = MemoryMap.allocate(machine.dpu, 4096, Access.PCI_READ_WRITE);
    private final List<String> told = new ArrayList<>();
    private final List<byte[]> messages = new ArrayList<>();
    private final ConsumerLabels labels =
            new ConsumerLabels((connection, label) -> told.add(label + " " + this.labels.find(connection, label)));
    private ComchServer server;
    private ComchConnection dpuSide;
    private ComchConnection hostSide;
    private int failures;

    @AfterEach
    void close() {
        EmulatedFaults.clear();
        machine.close();
    }

    private void connect(Consumer<ComchConnection> onConnected) {
        server = machine.server()
                .onConnected(connection -> {
                    dpuSide = connection;
                    onConnected.accept(connection);
                })
                .onSendFailed((connection, error) -> failures++)
                .start();
        ComchClient client = machine.client()
                .onMessage(labels.before((connection, message) -> messages.add(message.toArray(ValueLayout.JAVA_BYTE))))
                .onConsumer(labels::onConsumer)
                .onConsumerExpired(labels::onConsumerExpired)
                .start();
        machine.until("the connection", () -> dpuSide != null && client.isConnected());
        hostSide = client.connection();
    }

    private void connect() {
        connect(connection -> {});
    }

    private ComchConsumer consumer() {
        return dpuSide.consumer(machine.engine, memory).start();
    }

    private ComchConsumer labelled(String label) {
        ComchConsumer consumer = consumer();
        dpuSide.send(ConsumerLabels.message(consumer.id(), label));
        return consumer;
    }

    private void untilKnown(int id) {
        machine.until(
                "the event of consumer " + id,
                () -> Arrays.stream(hostSide.remoteConsumers()).anyMatch(each -> each == id));
    }

    private void barrier() {
        dpuSide.send(LAST);
        machine.until("the last message", () -> !messages.isEmpty() && Arrays.equals(messages.getLast(), LAST));
        messages.removeLast();
    }

    @Test
    void whicheverComesFirst() {
        connect();
        dpuSide.send(ConsumerLabels.message(1, "label first"));
        barrier();
        assertThat(labels.find(hostSide, "label first")).isZero();
        assertThat(told).isEmpty();
        ComchConsumer early = consumer();
        assertThat(early.id()).as("ids begin at 1 here").isEqualTo(1);
        untilKnown(1);
        assertThat(labels.find(hostSide, "label first")).isEqualTo(1);
        ComchConsumer known = consumer();
        untilKnown(known.id());
        assertThat(told).containsExactly("label first 1");
        dpuSide.send(ConsumerLabels.message(known.id(), "event first"));
        assertThat(labels.await(hostSide, "event first", Machine.PATIENCE)).isEqualTo(known.id());
        assertThat(told).containsExactly("label first 1", "event first " + known.id());
        assertThat(messages).isEmpty();
    }

    @Test
    void aConsumerMayBeMadeAndLabelledWhenTheConnectionBegins() {
        List<ComchConsumer> made = new ArrayList<>();
        connect(connection -> {
            made.add(connection.consumer(machine.engine, memory).start());
            connection.enqueue(ConsumerLabels.message(made.getFirst().id(), "at once"));
        });
        assertThat(labels.await(hostSide, "at once", Machine.PATIENCE))
                .isEqualTo(made.getFirst().id());
    }

    @Test
    void severalAreToldApartAndStartedAgain() {
        connect();
        ComchConsumer orders = labelled("orders");
        ComchConsumer plain = consumer();
        ComchConsumer quotes = labelled("quotes ü");
        untilKnown(plain.id());
        assertThat(labels.await(hostSide, "quotes ü", Machine.PATIENCE)).isEqualTo(quotes.id());
        assertThat(labels.await(hostSide, "orders", Machine.PATIENCE)).isEqualTo(orders.id());
        assertThat(told).hasSize(2);
        told.clear();
        orders.close();
        machine.until("its end", () -> !told.isEmpty());
        assertThat(told).containsExactly("orders 0");
        assertThat(labels.find(hostSide, "orders")).isZero();
        ComchConsumer again = labelled("orders");
        assertThat(labels.await(hostSide, "orders", Machine.PATIENCE)).isEqualTo(again.id());
        ComchConsumer newest = labelled("orders");
        machine.until("the newest", () -> labels.find(hostSide, "orders") == newest.id());
        plain.close();
        newest.close();
        machine.until("the one before", () -> labels.find(hostSide, "orders") == again.id());
        assertThat(told.getLast()).isEqualTo("orders " + again.id());
    }

    @Test
    void aLabelThatWasLostIsToldAgainAndOneThatWasNotIsHeardOnce() {
        connect();
        ComchConsumer consumer = consumer();
        untilKnown(consumer.id());
        byte[] label = ConsumerLabels.message(consumer.id(), "lost");
        new EmulatedFaults().failSend(1, DocaError.IO_FAILED).apply();
        dpuSide.send(label);
        machine.until("the failure", () -> failures == 1);
        barrier();
        assertThat(labels.find(hostSide, "lost")).isZero();
        dpuSide.send(label);
        dpuSide.send(label);
        dpuSide.send(ConsumerLabels.message(consumer.id(), "another"));
        barrier();
        assertThat(told).containsExactly("lost " + consumer.id());
        assertThat(labels.find(hostSide, "another")).isZero();
    }

    @Test
    void theEndOfTheConnectionIsTheEndOfItsConsumers() {
        connect();
        labelled("gone");
        assertThat(labels.await(hostSide, "gone", Machine.PATIENCE)).isPositive();
        server.close();
        assertThatThrownBy(() -> labels.await(hostSide, "other", Machine.PATIENCE))
                .isInstanceOf(ConnectionClosedException.class)
                .hasMessageContaining("other");
        assertThat(labels.find(hostSide, "gone")).isZero();
    }

    @Test
    void waitingEndsInTime() {
        connect();
        assertThatThrownBy(() -> labels.await(hostSide, "nobody", Duration.ofMillis(5)))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.TIME_OUT))
                .hasMessageContaining("nobody");
    }

    /** As a program in C would write it, by docs/labels.md. */
    @Test
    void theFormIsAsDocumented() {
        connect();
        ComchConsumer consumer = consumer();
        byte[] text = "by hand".getBytes(UTF_8);
        ByteBuffer message = ByteBuffer.allocate(20 + text.length).order(ByteOrder.LITTLE_ENDIAN);
        message.putLong(0x636f6d6368346afbL)
                .putLong(0xc2b2ae3d27d4eb4fL)
                .putInt(consumer.id())
                .put(text)
                .flip();
        assertThat(ConsumerLabels.message(consumer.id(), "by hand")).isEqualTo(message.array());
        dpuSide.send(message);
        assertThat(labels.await(hostSide, "by hand", Machine.PATIENCE)).isEqualTo(consumer.id());
    }

    @Test
    void otherMessagesAreTheProgramsOwn() {
        connect();
        byte[] label = ConsumerLabels.message(1, "x".repeat(ConsumerLabels.MAX_LENGTH));
        byte[] other = label.clone();
        other[15]++;
        List<byte[]> plain =
                List.of(new byte[] {1}, Arrays.copyOf(label, 20), Arrays.copyOf(label, label.length + 1), other);
        plain.forEach(dpuSide::send);
        dpuSide.send(label);
        barrier();
        assertThat(messages).hasSameSizeAs(plain);
        for (int i = 0; i < plain.size(); i++) {
            assertThat(messages.get(i)).isEqualTo(plain.get(i));
        }
    }

    @Test
    void labelsOfConsumersThatNeverComeDoNotPileUp() {
        connect();
        dpuSide.send(ConsumerLabels.message(1, "the oldest"));
        dpuSide.send(ConsumerLabels.message(2, "the next"));
        for (int i = 0; i < 1023; i++) {
            dpuSide.send(ConsumerLabels.message(1000 + i, "nobody"));
        }
        barrier();
        untilKnown(consumer().id());
        untilKnown(consumer().id());
        assertThat(labels.find(hostSide, "the oldest")).isZero();
        assertThat(labels.find(hostSide, "the next")).isEqualTo(2);
        dpuSide.send(ConsumerLabels.message(1, "again"));
        assertThat(labels.await(hostSide, "again", Machine.PATIENCE)).isEqualTo(1);
    }

    /** Ids may be used again. */
    @Test
    void anEarlyLabelIsForOneConsumer() {
        connect();
        dpuSide.send(ConsumerLabels.message(77, "the first"));
        barrier();
        labels.onConsumer(hostSide, 77);
        assertThat(labels.find(hostSide, "the first")).isEqualTo(77);
        labels.onConsumerExpired(hostSide, 77);
        labels.onConsumer(hostSide, 77);
        assertThat(labels.find(hostSide, "the first")).isZero();
        assertThat(told).containsExactly("the first 77", "the first 0");
    }

    @Test
    void whatIsNoLabelIsRefused() {
        for (String wrong : List.of("", "x".repeat(256), "ü".repeat(128))) {
            assertThatThrownBy(() -> ConsumerLabels.message(1, wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> ConsumerLabels.message(0, "label")).isInstanceOf(IllegalArgumentException.class);
    }
}
