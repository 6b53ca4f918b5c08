package io.github.comch4j.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What every command has: common options, the headings of its help, and how it refuses a wrong command line. */
@Command(
        synopsisHeading = "Usage: ",
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        commandListHeading = "%nCommands:%n",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:done", "1:failed; one sentence on stderr says why", "2:wrong command line"},
        footerHeading = "%nExamples:%n",
        sortOptions = false)
abstract class ToolCommand {
    @Mixin
    CommonOptions common;

    @Spec
    CommandSpec spec;

    /** Returns {@code value} if it is from {@code min} to {@code max}; it is that of the option {@code name}. */
    final long within(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw wrong(name + " " + value + ": must be " + min + " to " + max);
        }
        return value;
    }

    /** Refuses all options but these. */
    final void only(String why, List<String> options) {
        for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
            if (!options.contains(option.longestName())) {
                throw wrong(option.longestName() + ": " + why);
            }
        }
    }

    /** Refuses this option, which would not be looked at. */
    final void without(String why, String option) {
        if (spec.commandLine().getParseResult().hasMatchedOption(option)) {
            throw wrong(option + ": " + why);
        }
    }

    final ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }
}
