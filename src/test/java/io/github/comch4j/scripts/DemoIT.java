package io.github.comch4j.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code scripts/demo.sh}, with the jar that was built. */
class DemoIT {
    @TempDir
    private Path folder;

    /** In Latin 1, which is no UTF-8, and in UTF-8; the shell makes the file, as Java cannot write such a name. */
    @ParameterizedTest
    @ValueSource(strings = {"caf\\xe9", "caf\\xc3\\xa9"})
    void aFileIsSentWhoseNameTheLocaleCannotWrite(String name) throws Exception {
        String file = "\"$1\"/$'" + name + "'";
        Script done = Script.runLine(
                "export LC_ALL=C; head -c 100000 /dev/urandom >" + file + " && scripts/demo.sh " + file,
                folder.toString());
        assertThat(done.status()).as(done.output()).isZero();
        assertThat(done.output()).contains("SHA-256 on both sides");
    }

    @Test
    void aHalfThatDoesNotStartEndsTheOther() throws Exception {
        Script done = Script.runLine("scripts/demo.sh --depth 9999 pom.xml");
        assertThat(done.status()).isNotZero();
        assertThat(done.output())
                .contains("--depth 9999: must be 1 to 4096", "the client exited 2")
                .doesNotContain("has not ended by itself");
    }
}
