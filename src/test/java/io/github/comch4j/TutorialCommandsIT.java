package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.core.Doca;
import io.github.comch4j.ffi.doca_h;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the tutorials, as they stand there, print what stands behind them. */
@Timeout(120)
class TutorialCommandsIT {
    private static final Path PAGES = Path.of("docs", "start");
    private static final Pattern COMMANDS =
            Pattern.compile("```sh\\n((?:java src/[^\n]*\\n)+)```.*?```text\\n(.*?)```", Pattern.DOTALL);

    @TempDir
    private Path fabric;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() {
        processes.forEach(Process::destroyForcibly);
    }

    /** The commands of a page, and what the client prints. */
    private record Tutorial(List<String> commands, List<String> output) {
        static Tutorial of(String page) throws IOException {
            Matcher found = COMMANDS.matcher(Files.readString(PAGES.resolve(page)));
            assertThat(found.find()).as(page + " has commands").isTrue();
            return new Tutorial(
                    found.group(1).lines().toList(), found.group(2).lines().toList());
        }
    }

    private BufferedReader start(String command) throws IOException {
        assertThat(command).startsWith("java ");
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", "exec " + java + command.substring("java".length()));
        builder.environment().put("JAVA_TOOL_OPTIONS", "--enable-native-access=ALL-UNNAMED -Dcomch4j.library=emulated");
        builder.environment()
                .put(
                        "CLASSPATH",
                        Stream.of(Doca.class, doca_h.class)
                                .map(Child::locationOf)
                                .distinct()
                                .collect(Collectors.joining(File.pathSeparator)));
        builder.environment().put("DOCA_EMU_DIR", fabric.toString());
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        processes.add(process);
        return process.inputReader();
    }

    private void server(Tutorial tutorial) throws IOException {
        assertThat(start(tutorial.commands().getFirst()).readLine()).endsWith("is ready");
    }

    private void aServerAndAClient(String page) throws IOException {
        Tutorial tutorial = Tutorial.of(page);
        assertThat(tutorial.commands()).hasSize(2);
        server(tutorial);
        assertThat(start(tutorial.commands().get(1)).lines()).containsExactlyElementsOf(tutorial.output());
    }

    @Test
    void aMessage() throws IOException {
        aServerAndAClient("1-a-message.md");
    }

    @Test
    void manyClients() throws IOException {
        Tutorial tutorial = Tutorial.of("2-many-clients.md");
        server(tutorial);
        BufferedReader first = start(tutorial.commands().get(1));
        assertThat(first.readLine()).isEqualTo(tutorial.output().getFirst());
        assertThat(start(tutorial.commands().get(2)).lines()).hasSize(1);
        assertThat(first.readLine()).isEqualTo(tutorial.output().get(1));
    }

    @Test
    void aBufferWithoutACopy() throws IOException {
        aServerAndAClient("3-a-buffer.md");
    }

    @Test
    void aMillionRecords() throws IOException {
        aServerAndAClient("4-records.md");
    }

    @Test
    void whenTheOtherSideDies() throws IOException {
        Tutorial tutorial = Tutorial.of("5-the-other-side-dies.md");
        server(tutorial);
        BufferedReader client = start(tutorial.commands().get(1));
        assertThat(client.readLine()).isEqualTo(tutorial.output().getFirst());
        assertThat(client.readLine())
                .isEqualTo("process " + processes.getFirst().pid());
        processes.getFirst().destroyForcibly();
        String line;
        do {
            line = client.readLine();
        } while (line.startsWith("process ") || line.endsWith("handled"));
        assertThat(line).isEqualTo("DISCONNECTED").isIn(tutorial.output());
        server(tutorial);
        assertThat(client.readLine()).isEqualTo("CONNECTED");
        assertThat(client.readLine()).isEqualTo("process " + processes.getLast().pid());
    }
}
