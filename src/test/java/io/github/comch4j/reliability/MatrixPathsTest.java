package io.github.comch4j.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every public way to send is a path of the matrix, or is said to be none. */
class MatrixPathsTest {
    private static final Path API = Path.of("src", "test", "api", "public-api.txt");

    private static final Pattern SENDS = Pattern.compile(" ([A-Za-z.$]+)\\."
            + "(trySend|send|sendAsync|trySendImmediate|sendImmediate|copyAndSend|enqueue|enqueueImmediate|offer|commit"
            + "|commitNow|write|copy|tryCopy|call|callAsync)\\(");

    /** Whose methods have such names and are no path of their own. */
    private static final Map<String, String> OTHERS = Map.of(
            "core.BufferPool$Slot", "sends nothing: it is a place in memory",
            "core.EventLoop", "runs what it is given",
            "emulator.EmulatedMachine", "runs what it is given",
            "rpc.RpcCall", "a call of an RpcClient",
            "dma.DmaContext", "one process, and a copy that fails stops its context: DmaTest",
            "dpa.MessageQueueProducer", "to and from kernels: MessageQueueTest",
            "dpa.DpaMemory", "waits for a copy, and throws: DpaTest",
            "emulator.KernelContext", "of kernels: JavaMessagesTest",
            "emulator.KernelMemory", "of kernels: JavaKernelsTest",
            "emulator.DpaKernel$Rpc", "of kernels: JavaKernelsTest");

    @Test
    void aWayToSendIsAPathOrIsSaidToBeNone() throws IOException {
        Set<String> sends = new TreeSet<>();
        for (String line : Files.readAllLines(API)) {
            Matcher matcher = SENDS.matcher(line);
            if (matcher.find()) {
                sends.add(matcher.group(1));
            }
        }
        Set<String> known = MatrixPaths.ALL.stream()
                .flatMap(path -> path.types().stream())
                .map(type -> type.getName().replace("io.github.comch4j.", ""))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(sends)
                .as("types with methods that send")
                .contains("io.MessageSocket", "comch.Broadcast")
                .allSatisfy(type -> assertThat(known.contains(type) || OTHERS.containsKey(type))
                        .as("%s is in MatrixPaths, or in OTHERS with the reason", type)
                        .isTrue());
        assertThat(sends).as("what is said to be none").containsAll(OTHERS.keySet());
    }

    @Test
    void pathsHaveNamesOfTheirOwn() {
        assertThat(MatrixPaths.ALL.stream().map(MatrixPath::name)).doesNotHaveDuplicates();
    }
}
