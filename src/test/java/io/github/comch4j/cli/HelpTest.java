package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What {@code --help} of each command has behind its options. */
class HelpTest {
    private static final int COLUMNS = 80;

    private static List<CommandLine> all(CommandLine command) {
        List<CommandLine> all = new ArrayList<>(List.of(command));
        command.getSubcommands().values().forEach(each -> all.addAll(all(each)));
        return all;
    }

    /** A longer line would be broken, and a command that is copied from there with it. */
    @Test
    void examplesFitATerminal() {
        List<CommandLine> all = all(new CommandLine(new Tool()));
        assertThat(all).hasSizeGreaterThan(25);
        for (CommandLine command : all) {
            String[] lines = command.getCommandSpec().usageMessage().footer();
            assertThat(lines).as(command.getCommandSpec().qualifiedName()).isNotEmpty();
            assertThat(lines)
                    .allSatisfy(line -> assertThat(line.length()).as(line).isLessThan(COLUMNS));
        }
    }
}
