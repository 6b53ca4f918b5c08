package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code --help} of each command has behind its options, and what documents say that one may write. */
class HelpTest {
    private static final int COLUMNS = 80;

    /** Fenced code, or code within a line. */
    private static final Pattern CODE = Pattern.compile("(?s)```.*?```|`[^`\n]+`");

    /** A command line up to a comment, a remark behind it, or what is the shell's. */
    private static final Pattern COMMAND = Pattern.compile("(?<![\\w/.:-])comch ((?:(?! {3}| # | \\| |[<>`;\\n]).)+)");

    private static List<CommandLine> all(CommandLine command) {
        List<CommandLine> all = new ArrayList<>(List.of(command));
        command.getSubcommands().values().forEach(each -> all.addAll(all(each)));
        return all;
    }

    /** A longer line would be broken, and a command that is copied from there with it. */
    @Test
    void examplesFitATerminal() {
        List<CommandLine> all = all(new CommandLine(new AllCommands()));
        assertThat(all).hasSizeGreaterThan(25);
        for (CommandLine command : all) {
            String[] lines = command.getCommandSpec().usageMessage().footer();
            assertThat(lines).as(command.getCommandSpec().qualifiedName()).isNotEmpty();
            assertThat(lines)
                    .allSatisfy(line -> assertThat(line.length()).as(line).isLessThan(COLUMNS));
        }
    }

    @Test
    void examplesAreCommandLines() {
        List<String> examples = all(new CommandLine(new AllCommands())).stream()
                .flatMap(each -> Stream.of(each.getCommandSpec().usageMessage().footer()))
                .flatMap(HelpTest::commands)
                .toList();
        assertThat(examples).hasSizeGreaterThan(30);
        assertThat(examples).allSatisfy(HelpTest::isKnown);
    }

    @Test
    void documentsHaveCommandLines() throws IOException {
        List<String> found = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("docs"))) {
            List<Path> pages = Stream.concat(files, Stream.of(Path.of("README.md")))
                    .filter(file -> file.toString().endsWith(".md"))
                    .toList();
            for (Path page : pages) {
                CODE.matcher(Files.readString(page))
                        .results()
                        .flatMap(code -> commands(code.group()))
                        .forEach(found::add);
            }
        }
        assertThat(found).hasSizeGreaterThan(50);
        assertThat(found).allSatisfy(HelpTest::isKnown);
    }

    private static Stream<String> commands(String text) {
        return COMMAND.matcher(text).results().map(found -> found.group(1));
    }

    /** Its commands and the names of its options; values may be placeholders. */
    private static void isKnown(String commandLine) {
        CommandLine command = new CommandLine(new AllCommands());
        for (String word : commandLine.replaceAll("[\"',:]+(?= |$)", "").split("\\s+")) {
            CommandLine below = command.getSubcommands().get(word);
            if (word.equals("--")) {
                return;
            } else if (below != null) {
                command = below;
            } else if (word.startsWith("-") && word.length() > 1) {
                String option = word.startsWith("--") ? word.replaceFirst("=.*", "") : word.substring(0, 2);
                assertThat(command.getCommandSpec().optionsMap())
                        .as("comch " + commandLine)
                        .containsKey(option);
            } else if (command.getParent() == null) {
                assertThat(word).as("comch " + commandLine).isEqualTo("COMMAND");
                return;
            }
        }
    }
}
