package io.github.comch4j.dpa;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import io.github.comch4j.SubmitResult;
import io.github.comch4j.core.Access;
import io.github.comch4j.core.MemoryMap;
import io.github.comch4j.emulator.CompletionType;
import io.github.comch4j.emulator.JavaKernels;
import io.github.comch4j.emulator.KernelContext;
import io.github.comch4j.emulator.KernelCopy;
import io.github.comch4j.emulator.KernelEnd;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What kernels in Java send with live handles, rightly and wrongly. */
@Needs(Feature.DPA)
@Timeout(60)
class JavaMessagesTest {
    private static final int CREDITS = 4;
    private static final int LENGTH = 24;
    private static final int FLAGS = KernelContext.FLUSH | KernelContext.OPTIMIZE_REPORTS;

    private final Machine machine = new Machine();
    private final List<Long> received = new ArrayList<>();
    private final Link link =
            new Link(machine, (dpa, argument) -> KernelEnd.FINISH, CREDITS, LENGTH, (consumer, producer, message) -> {
                received.add(Link.number(message));
                consumer.keep();
            });
    private final JavaKernels kernels = JavaKernels.of(link.dpa);
    private final DpaFunction send = kernels.rpc("send", (context, arguments) -> {
        context.sendImmediate(arguments[0], 1, MemorySegment.ofArray(new long[] {arguments[1]}), FLAGS);
        return 0;
    });
    private final AtomicReference<CompletionType> element = new AtomicReference<>();
    private final DpaFunction next = kernels.rpc("next", (context, arguments) -> {
        boolean any = context.pollCompletion(arguments[0]);
        element.set(any ? context.completionType() : null);
        context.acknowledgeCompletion(arguments[0], any ? 1 : 0);
        return 0;
    });

    @AfterEach
    void end() {
        link.close();
        machine.close();
    }

    private void send(long number) {
        link.dpa.rpc(send, link.dpaProducer.handle(), number);
    }

    /** The type of the next element of sends, or null. */
    private @Nullable CompletionType next() {
        link.dpa.rpc(next, link.sent.handle());
        return element.get();
    }

    @Test
    void aSendWithoutCreditFailsAndLaterOnesArrive() {
        for (int i = 0; i < CREDITS; i++) {
            send(i);
        }
        machine.until("the messages", () -> received.size() == CREDITS);
        assertThat(link.dpa.lastError()).isNull();
        assertThat(next()).isNull();
        send(100);
        assertThat(link.dpa.lastError()).isNotNull();
        assertThat(next()).isEqualTo(CompletionType.SEND_ERROR);
        assertThat(link.consumer.tryPost()).isEqualTo(SubmitResult.ACCEPTED);
        send(101);
        machine.until("the message with credit", () -> received.size() == CREDITS + 1);
        assertThat(received).endsWith(101L).doesNotContain(100L);
    }

    @Test
    void dataAreCopiedBetweenMapsBeforeTheirMessage() {
        try (MemoryMap source = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE);
                MemoryMap target = MemoryMap.allocate(machine.host, 4096, Access.PCI_READ_WRITE)) {
            long from = link.dpa.handleOf(source);
            long to = link.dpa.handleOf(target);
            source.segment().fill((byte) 7);
            source.segment().set(JAVA_LONG, 64, 12345);
            DpaFunction copy = kernels.rpc("copy", (context, arguments) -> {
                context.copyAndSend(
                        link.dpaProducer.handle(),
                        1,
                        new KernelCopy(
                                (int) to,
                                target.segment().address(),
                                (int) from,
                                source.segment().address(),
                                arguments[0]),
                        MemorySegment.ofArray(new long[] {arguments[0]}),
                        FLAGS);
                return 0;
            });
            link.dpa.rpc(copy, 1000);
            machine.until("the message", () -> received.contains(1000L));
            assertThat(target.segment().get(JAVA_LONG, 64)).isEqualTo(12345);
            assertThat(target.segment()
                            .asSlice(0, 1000)
                            .mismatch(source.segment().asSlice(0, 1000)))
                    .isEqualTo(-1);
            assertThat(link.dpa.lastError()).isNull();

            link.dpa.rpc(copy, 4097);
            assertThat(link.dpa.lastError()).isNotNull();
            assertThat(next()).isEqualTo(CompletionType.SEND_ERROR);
            assertThat(received).containsExactly(1000L);
        }
    }
}
