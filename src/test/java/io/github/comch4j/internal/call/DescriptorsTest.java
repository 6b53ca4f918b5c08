package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Which descriptor a selector of the JDK is. */
class DescriptorsTest {
    @Test
    void eachSelectorHasADescriptorOfItsOwn() throws Exception {
        try (Selector one = Selector.open();
                Selector other = Selector.open()) {
            other.wakeup(); // is not taken for the one that is woken
            int descriptor = Descriptors.ofSelector(one);
            assertThat(Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                            .toString())
                    .contains("eventpoll");
            assertThat(Descriptors.ofSelector(other)).isPositive().isNotEqualTo(descriptor);
            assertThat(Descriptors.ofSelector(one)).isEqualTo(descriptor);
        }
    }

    @Test
    void itIsReadableWhenAChannelIs() throws Exception {
        Pipe pipe = Pipe.open();
        try (Selector selector = Selector.open();
                var source = pipe.source();
                var sink = pipe.sink()) {
            int descriptor = Descriptors.ofSelector(selector);
            source.configureBlocking(false);
            source.register(selector, SelectionKey.OP_READ);
            selector.selectNow();
            assertThat(Descriptors.isReadable(descriptor)).isFalse();
            sink.write(ByteBuffer.allocate(1));
            assertThat(Descriptors.isReadable(descriptor)).isTrue();
            selector.selectNow();
            assertThat(source.read(ByteBuffer.allocate(8))).isEqualTo(1);
            assertThat(Descriptors.isReadable(descriptor)).isFalse();
        }
    }
}
