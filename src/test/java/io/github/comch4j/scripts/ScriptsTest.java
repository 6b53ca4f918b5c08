package io.github.comch4j.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the scripts say to a command line that is wrong: one sentence, before anything is built or started. */
class ScriptsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "demo.sh             | --chunk             | --chunk needs a value",
                "demo.sh             | --chunk many        | --chunk many: not a size",
                "demo.sh             | --depth -1          | --depth -1: not a number",
                "demo.sh             | src                 | not a regular file: src",
                "demo.sh             | nowhere             | no such file: nowhere",
                "demo.sh             | --frobnicate        | no such option: --frobnicate",
                "dev/fuzz.sh         | abc                 | SECONDS must be a number above 0, not 'abc'",
                "dev/fuzz.sh         | 0                   | SECONDS must be a number above 0, not '0'",
                "dev/fuzz.sh         | 1 nope              | no such fuzzer: nope",
                "dev/fuzz.sh         | 1 peer channel      | one argument too many: channel",
                "install-emulator.sh | --release           | --release needs a value",
                "install-emulator.sh | --release 4.0 x     | no such release: 4.0",
                "bench.sh            | --only              | --only needs a value",
                "bench.sh            | --library           | --library needs a value",
                "test.sh             | nope                | no such stage: nope",
            })
    void aWrongCommandLineIsToldAtOnce(String script, String arguments, String sentence) throws Exception {
        Script done = Script.runLine("scripts/" + script + " " + arguments);
        assertThat(done.output().lines())
                .as(done.output())
                .singleElement()
                .asString()
                .contains(sentence);
        assertThat(done.status()).isNotZero();
    }
}
