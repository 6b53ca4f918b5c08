package io.github.comch4j.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** An argument is what stands there: neither a file's content, nor a part of it, nor the beginning of another. */
class ArgumentsTest {
    @TempDir
    private Path folder;

    private List<String> odd() throws IOException {
        Path file = Files.writeString(folder.resolve("body.json"), "--library=/none --help\n");
        return List.of("@" + file, "@@" + file, "\"quoted\"", "'quoted'", "${user.home}", "${env:HOME}", "@|bold x|@");
    }

    private static List<String> positional(String... arguments) {
        ParseResult last = Tool.commandLine().parseArgs(arguments);
        while (last.hasSubcommand()) {
            last = last.subcommand();
        }
        return last.matchedPositionals().stream()
                .flatMap(each -> each.originalStringValues().stream())
                .toList();
    }

    private static String[] words(List<String> words, String... before) {
        return Stream.concat(Stream.of(before), words.stream()).toArray(String[]::new);
    }

    @Test
    void whatIsPassedOnStaysAsItIs() throws IOException {
        assertThat(positional(words(odd(), "emulator", "run", "--", "curl", "-d", "--")))
                .containsExactly(words(odd(), "curl", "-d", "--"));
        assertThat(positional(words(odd(), "cp"))).containsExactly(words(odd()));
    }

    @Test
    void whatAnOptionHasStaysAsItIs() throws IOException {
        for (String word : odd()) {
            for (String[] line : new String[][] {{"ping", "--name", word}, {"ping", "--name=" + word}}) {
                ParseResult ping = Tool.commandLine().parseArgs(line).subcommand();
                String name = ping.matchedOptionValue("--name", "");
                assertThat(name).isEqualTo(word);
            }
        }
    }

    /** The one that is asked for is made alone: it is the same, and no other has a name of its own. */
    @Test
    void eachCommandIsFoundByItsName() {
        Map<String, CommandLine> all = new CommandLine(new AllCommands()).getSubcommands();
        assertThat(all).hasSizeGreaterThan(10).containsKey("ping");
        all.forEach((name, command) -> {
            assertThat(Tool.command(name))
                    .as(name)
                    .isEqualTo(command.getCommand().getClass());
            CommandLine alone = Tool.commandLine(name);
            assertThat(alone.getSubcommands()).containsOnlyKeys(name);
            assertThat(alone.getSubcommands().get(name).getUsageMessage())
                    .isEqualTo(Tool.commandLine().getSubcommands().get(name).getUsageMessage());
        });
    }

    @Test
    void noBeginningIsEnough() {
        CommandLine line = Tool.commandLine();
        assertThatThrownBy(() -> line.parseArgs("ping", "--cou", "3")).isInstanceOf(UnmatchedArgumentException.class);
        assertThatThrownBy(() -> line.parseArgs("pin")).isInstanceOf(UnmatchedArgumentException.class);
    }

    private String toldOf(byte[] bytes) throws IOException {
        Path file = Files.write(folder.resolve("pairs"), bytes);
        StringWriter told = new StringWriter();
        int status = Tool.commandLine().setErr(new PrintWriter(told, true)).execute("relay", "--file", file.toString());
        assertThat(status).as(told.toString()).isEqualTo(1);
        return told.toString();
    }

    @Test
    void aFileMayBeginWithAMarkOfUtf8() throws IOException {
        assertThat(toldOf("\uFEFF# the first\r\ncomch:a\r\n".getBytes(UTF_8)))
                .isEqualTo("comch: " + folder.resolve("pairs")
                        + ":2: \"comch:a\": a line has two addresses, FROM and TO\n");
    }

    @Test
    void whatIsNoUtf8IsToldWithItsLine() throws IOException {
        assertThat(toldOf("comch:a tcp:1\n\n# a caf\u00e9\n".getBytes(ISO_8859_1)))
                .isEqualTo("comch: " + folder.resolve("pairs") + ", line 3: this is not UTF-8\n");
        assertThat(toldOf("comch:a tcp:1\n".getBytes(UTF_16))).contains("line 1: this is not UTF-8");
    }

    @Test
    void whatIsInvisibleIsShown() throws IOException {
        assertThat(toldOf("comch:a tcp:73\u200b01\n".getBytes(UTF_8)))
                .isEqualTo("comch: " + folder.resolve("pairs")
                        + ":1: \"tcp:73\\u{200b}01\": a port is a number from 0 to 65535\n");
        assertThat(toldOf("comch:a tcp:\u001b[2J\n".getBytes(UTF_8))).contains("tcp:\\u{001b}[2J");
        StringWriter told = new StringWriter();
        Tool.commandLine().setErr(new PrintWriter(told, true)).execute("pi\u00adng");
        assertThat(told.toString()).contains("pi\\u{00ad}ng");
    }

    /** Of the JVM, or of a file in the home folder. */
    @Test
    void propertiesOfTheLibraryDoNotCount() {
        String trim = System.setProperty("picocli.trimQuotes", "true");
        try {
            assertThat(positional("cp", "\"a b\"", "dpu:")).containsExactly("\"a b\"", "dpu:");
        } finally {
            if (trim == null) {
                System.clearProperty("picocli.trimQuotes");
            }
        }
    }
}
