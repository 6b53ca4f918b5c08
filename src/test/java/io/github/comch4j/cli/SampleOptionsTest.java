package io.github.comch4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
                "sample -x                                 | Unknown option: '-x'",
                "sample data-path-client                   | Unmatched argument at index 1: 'data-path-client'",
                "sample ctrl-path-client -x                | Unknown option: '-x'",
                "sample ctrl-path-client operand           | Unmatched argument at index 2: 'operand'",
                "sample ctrl-path-client -p                | Missing required parameter for option '--pci-addr' (PCI)",
                "sample ctrl-path-client -t --pci-addr x   | Unmatched argument at index 4: 'x'",
                "sample ctrl-path-client -p b1:00          | Invalid value for option '--pci-addr': 'b1:00' is not a PCI address, such as b1:00.0",
                "sample ctrl-path-server --rep-pci nowhere | Invalid value for option '--rep-pci': 'nowhere' is not a PCI address, such as b1:00.0",
                "sample ctrl-path-client --text=           | --text of 0 bytes: must be 1 to 4096",
                "sample channel-server --text=             | --text of 0 bytes: must be 1 to 4079",
                "sample channel-client --generation 2.5    | Unknown options: '--generation', '2.5'",
                "sample secure-channel-server -s 0         | --msg-size 0: must be 1 to 4080",
                "sample secure-channel-server -s 4081      | --msg-size 4081: must be 1 to 4080",
                "sample secure-channel-client -n 0         | --num-msgs 0: must be 1 to 2147483647",
                "sample secure-channel-client -t text      | Unknown options: '-t', 'text'",
                "sample ctrl-path-client -t a -t b         | option '--text' (TEXT) should be specified only once",
                "sample ctrl-path-client --generation 2.7  | --generation 2.7: must be 3.0 or 2.6 or 2.5"
            })
    void aWrongCommandLineIsAnswered(String arguments, String answer) {
        Printed printed = Printed.by(arguments.split(" "));
        assertThat(printed.status).isEqualTo(2);
        assertThat(printed.out).isEmpty();
        assertThat(printed.err).startsWith("comch: " + answer + "\n").endsWith("--help\".\n");
    }

    @Test
    void aTextOfManyBytesIsNoText() {
        assertThat(Printed.by("sample", "ctrl-path-client", "-t", "\u00fc".repeat(2049)).err)
                .startsWith("comch: --text of 4098 bytes: must be 1 to 4096\n");
    }

    @Test
    void eachSampleHasItsHelp() {
        Printed all = Printed.by("sample", "-h");
        assertThat(all.status).isZero();
        assertThat(all.err).isEmpty();
        assertThat(all.out)
                .contains("data-path-high-speed-server", "secure-channel-client")
                .doesNotContain("--rep-pci");
        Printed one = Printed.by("sample", "ctrl-path-client", "--help");
        assertThat(one.status).isZero();
        assertThat(one.out)
                .contains("-p, --pci-addr=PCI", "-t, --text=TEXT", "Examples:", "comch sample ctrl-path-client");
    }
}
