package io.github.comch4j.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchConsumer;
import io.github.comch4j.comch.ComchProducer;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ElementPoolTest {
    private Machine machine;
    private MemoryMap memory;

    @BeforeEach
    void open() {
        machine = new Machine();
        memory = MemoryMap.builder(machine.host, machine.dpu)
                .access(Access.PCI_READ_WRITE)
                .allocate(1000);
    }

    @AfterEach
    void close() {
        machine.close();
        memory.close();
    }

    @Test
    void itsBuffersLieSideBySideAndHaveNoData() {
        try (ElementPool pool = ElementPool.create(memory, 3, 100)) {
            List<Buffer> taken = List.of(pool.acquireEmpty(), pool.acquireEmpty(), pool.acquireEmpty());
            assertThat(taken).extracting(Buffer::offset).containsExactlyInAnyOrder(0L, 100L, 200L);
            assertThat(taken).allSatisfy(buffer -> {
                assertThat(buffer.capacity()).isEqualTo(100);
                assertThat(buffer.length()).isZero();
                assertThat(buffer.memory()).isSameAs(memory);
                assertThat(buffer.segment().address())
                        .isEqualTo(memory.segment().address() + buffer.offset());
            });
            assertThat(memory.buffers()).isEqualTo(3);
        }
    }

    @Test
    void itRunsOutUntilOneIsGivenBack() {
        try (ElementPool pool = ElementPool.create(memory, 2, 500)) {
            assertThat(pool.capacity()).isEqualTo(2);
            assertThat(pool.elementSize()).isEqualTo(500);
            assertThat(pool.memory()).isSameAs(memory);
            assertThat(pool.alignment()).isEqualTo(1);
            Buffer first = pool.acquireEmpty();
            assertThat(pool.available()).isEqualTo(1);
            long offset = first.offset();
            pool.acquireEmpty();
            assertThat(pool.available()).isZero();
            assertThat(pool.tryAcquireEmpty()).isEmpty();
            assertThatThrownBy(pool::acquireEmpty)
                    .isInstanceOfSatisfying(DocaException.class, e -> {
                        assertThat(e.error()).isEqualTo(DocaError.EMPTY);
                        assertThat(e.function()).isEqualTo("doca_buf_pool_buf_alloc");
                    })
                    .hasMessageContaining("the pool of 2 buffers of 500 bytes");
            first.setData(0, 7);
            first.close();
            assertThat(pool.available()).isEqualTo(1);
            Buffer again = pool.tryAcquireEmpty().orElseThrow();
            assertThat(again.offset()).isEqualTo(offset);
            assertThat(again.length()).as("a buffer that is taken anew").isZero();
        }
    }

    @Test
    void eachBufferIsAtAMultipleOfTheAlignment() {
        try (ElementPool pool = ElementPool.create(memory, 3, 100, 256)) {
            assertThat(pool.alignment()).isEqualTo(256);
            List<Long> addresses = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                addresses.add(pool.acquireEmpty().segment().address());
            }
            assertThat(addresses).doesNotHaveDuplicates().allMatch(address -> address % 256 == 0);
        }
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertThatThrownBy(() -> ElementPool.create(memory, 0, 10)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ElementPool.create(memory, 10, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ElementPool.create(memory, 11, 91))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("11 buffers of 91 bytes do not fit");
        assertThatThrownBy(() -> ElementPool.create(memory, 1, 10, 3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("alignment 3");
        assertThatThrownBy(() -> ElementPool.create(memory, 1, 10, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ElementPool.create(memory, 10, 100, 4096))
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(DocaError.INITIALIZATION));
        ElementPool.create(memory, 10, 100).close(); // all of it
        assertThat(memory.buffers()).isZero();
    }

    @Test
    void itEndsWithItsBuffersAndWithItsMap() {
        ElementPool pool = ElementPool.create(memory, 2, 10);
        Buffer out = pool.acquireEmpty();
        pool.close();
        pool.close();
        assertThat(pool.isClosed()).isTrue();
        assertThat(out.isClosed()).isTrue();
        assertThat(memory.buffers()).isZero();
        assertThatThrownBy(pool::acquireEmpty).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(pool::available).isInstanceOf(IllegalStateException.class);
        ElementPool second = ElementPool.create(memory, 2, 10);
        Buffer ofSecond = second.acquireEmpty();
        memory.close();
        assertThat(second.isClosed()).isTrue();
        assertThat(ofSecond.isClosed()).isTrue();
        assertThatThrownBy(() -> ElementPool.create(memory, 2, 10)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void itsBuffersAreSentAndReceivedInto() {
        List<Byte> received = new ArrayList<>();
        int[] consumerId = new int[1];
        try (MemoryMap target = MemoryMap.allocate(machine.dpu, 1000, Access.PCI_READ_WRITE);
                ElementPool sources = ElementPool.create(memory, 4, 64, 64);
                ElementPool targets = ElementPool.create(target, 4, 64)) {
            var server = machine.server().start();
            ComchClient client = machine.client()
                    .onConsumer((connection, id, state) -> consumerId[0] = id)
                    .connect(Machine.PATIENCE);
            ComchConsumer consumer = server.connections()
                    .iterator()
                    .next()
                    .consumer(machine.engine, target)
                    .onReceive((receiver, buffer, producer, immediate) -> {
                        assertThat(buffer.length()).isEqualTo(2);
                        received.add(buffer.data().get(ValueLayout.JAVA_BYTE, 1));
                    })
                    .start(Machine.PATIENCE);
            for (int i = 0; i < 4; i++) {
                assertThat(consumer.tryPost(targets.acquireEmpty()).accepted()).isTrue();
            }
            machine.until("the consumer", () -> consumerId[0] == consumer.id());
            ComchProducer producer =
                    client.connection().producer(machine.engine).start();
            for (byte i = 0; i < 20; i++) {
                Buffer buffer = sources.acquireEmpty().setData(0, 2);
                buffer.data().set(ValueLayout.JAVA_BYTE, 1, i);
                machine.until(
                        "room", () -> producer.trySend(buffer, consumer.id()).accepted());
                machine.until("the completion", () -> !buffer.isInFlight());
                buffer.close();
            }
            machine.until("all of them", () -> received.size() == 20);
            assertThat(received.getLast()).isEqualTo((byte) 19);
            assertThat(sources.available()).isEqualTo(4);
        }
    }
}
