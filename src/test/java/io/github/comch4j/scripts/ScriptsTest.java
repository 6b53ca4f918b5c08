package io.github.comch4j.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the scripts say to a command line that is wrong, and how tests are counted. */
class ScriptsTest {
    private static final String COUNTS =
            Path.of("scripts", "dev", "lib", "counts.py").toAbsolutePath().toString();

    /** One sentence, before anything is built or started. */
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
                "dev/site.sh         | --nope              | no such option: --nope",
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

    private static void report(Path file, String... cases) throws IOException {
        Files.writeString(file, "<testsuite>" + String.join("", cases) + "</testsuite>");
    }

    private static String ran(String name) {
        return "<testcase classname='T' name='" + name + "'/>";
    }

    private static String leftOut(String name) {
        return "<testcase classname='T' name='" + name + "'><skipped message='" + Needs.LACK + "[DPA]'/></testcase>";
    }

    @Test
    void aTestThatIsLeftOutInEachStageIsToldOf(@TempDir Path folder) throws Exception {
        report(folder.resolve("one"), ran("always"), leftOut("there"), leftOut("nowhere"));
        report(folder.resolve("other"), ran("always"), ran("there"), leftOut("nowhere"));
        for (String stage : List.of("one", "other")) {
            Script counted = Script.runLine("cd $1 && $2 --names names " + stage, folder.toString(), COUNTS);
            assertThat(counted.output()).contains("left out: ");
            assertThat(counted.status()).isZero();
        }
        Script told = Script.runLine("$2 --nowhere $1/names", folder.toString(), COUNTS);
        assertThat(told.output().lines())
                .containsExactly("T.nowhere: these libraries lack [DPA]", "1 tests ran in no stage");
        assertThat(told.status()).isEqualTo(1);
        Files.writeString(folder.resolve("names"), "T.nowhere\t\n", StandardOpenOption.APPEND);
        assertThat(Script.runLine("$2 --nowhere $1/names", folder.toString(), COUNTS)
                        .status())
                .isZero();
    }
}
