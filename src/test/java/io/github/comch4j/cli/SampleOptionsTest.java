package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be said on the command line of the sample programs. */
class SampleOptionsTest {
    private record Printed(int status, String out, String err) {
        static Printed by(String... arguments) {
            PrintStream out = System.out;
            PrintStream err = System.err;
            ByteArrayOutputStream printed = new ByteArrayOutputStream();
            ByteArrayOutputStream complained = new ByteArrayOutputStream();
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(complained, true, StandardCharsets.UTF_8));
            try {
                int status = Comch.status(arguments);
                return new Printed(
                        status, printed.toString(StandardCharsets.UTF_8), complained.toString(StandardCharsets.UTF_8));
            } finally {
                System.setOut(out);
                System.setErr(err);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sample                                    | the sample is missing",
                "sample -x                                 | no such option: -x",
                "sample data-path-client                   | no such sample: data-path-client (ctrl-path-server, ctrl-path-client, data-path-high-speed-server, data-path-high-speed-client, channel-server, channel-client, secure-channel-server, secure-channel-client)",
                "sample ctrl-path-client -x                | no such option: -x",
                "sample ctrl-path-client operand           | one argument too many: operand",
                "sample ctrl-path-client -p                | -p needs a value",
                "sample ctrl-path-client -t --pci-addr x   | -t needs a value",
                "sample ctrl-path-client -p b1:00          | --pci-addr b1:00: not understood",
                "sample ctrl-path-server --rep-pci nowhere | --rep-pci nowhere: not understood",
                "sample ctrl-path-client --text=           | --text of 0 bytes: must be 1 to 4096",
                "sample channel-server --text=             | --text of 0 bytes: must be 1 to 4079",
                "sample channel-client --generation 2.5    | no such option: --generation",
                "sample secure-channel-server -s 0         | --msg-size 0: must be 1 to 4080",
                "sample secure-channel-server -s 4081      | --msg-size 4081: must be 1 to 4080",
                "sample secure-channel-client -n 0         | --num-msgs 0: must be 1 to 2147483647",
                "sample secure-channel-client -t text      | no such option: -t",
                "sample ctrl-path-client -t a -t b         | --text is given twice",
                "sample ctrl-path-client --generation 2.7  | --generation 2.7: must be 3.0 or 2.6 or 2.5"
            })
    void aWrongCommandLineIsAnswered(String arguments, String answer) {
        Printed printed = Printed.by(arguments.split(" "));
        assertThat(printed.status).isEqualTo(2);
        assertThat(printed.out).isEmpty();
        assertThat(printed.err).contains("-r, --rep-pci PCI").endsWith("\ncomch: " + answer + "\n");
    }

    @Test
    void aTextOfManyBytesIsNoText() {
        assertThat(Printed.by("sample", "ctrl-path-client", "-t", "\u00fc".repeat(2049)).err)
                .endsWith("\ncomch: --text of 4098 bytes: must be 1 to 4096\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sample -h", "sample ctrl-path-client -h", "sample --help"})
    void helpIsThatOfTheSamples(String arguments) {
        Printed printed = Printed.by(arguments.split(" "));
        assertThat(printed.status).isZero();
        assertThat(printed.err).isEmpty();
        assertThat(printed.out)
                .contains("-p, --pci-addr PCI", "-r, --rep-pci PCI", "-t, --text TEXT", "data-path-high-speed-server");
        assertThat(Printed.by("-h").out).contains("comch sample --help").doesNotContain("--rep-pci");
    }
}
