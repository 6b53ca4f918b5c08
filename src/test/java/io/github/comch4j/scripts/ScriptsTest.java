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
                "demo.sh             | pom.xml LICENSE     | one argument too many: LICENSE",
                "demo.sh             | -- --setup          | no such file: --setup",
                "demo.sh             | pom.xml --yes       | --yes goes with --setup",
                "dev/fuzz.sh         | abc                 | SECONDS must be a number above 0, not 'abc'",
                "dev/fuzz.sh         | 0                   | SECONDS must be a number above 0, not '0'",
                "dev/fuzz.sh         | 1 nope              | no such fuzzer: nope",
                "dev/fuzz.sh         | 1 peer channel      | one argument too many: channel",
                "dev/fuzz.sh         | --minimise 60       | one argument too many: 60",
                "dev/mutate.sh       | core --frobnicate   | no such option: --frobnicate",
                "dev/mutate.sh       | x --limit 1 --c     | --limit does not go with --c",
                "dev/relay.sh        | redis result        | no such program: result",
                "dev/release.sh      | 0.1.0 a b           | two arguments: the version, and",
                "dev/release.sh      | --central a b       | two arguments: the version, and",
                "dev/release-check.sh | now                | one argument too many: now",
                "dev/reproducible.sh | now                 | one argument too many: now",
                "dev/sdk.sh          | /nowhere now        | one argument too many: now",
                "dev/container-engine.sh | --stop now      | one argument too many: now",
                "dev/lib/cross-java.sh | a b               | needs one folder; there are 2",
                "jextract.sh         | --check now         | one argument too many: now",
                "install-emulator.sh | --release           | --release needs a value",
                "install-emulator.sh | --release 4.0 x     | no such release: 4.0",
                "install-emulator.sh | x --release 4.0     | no such release: 4.0",
                "install-emulator.sh | x y                 | one argument too many: y",
                "install-emulator.sh | --dpu               | PREFIX is missing",
                "install-emulator.sh | x --frobnicate      | no such option: --frobnicate",
                "bench.sh            | --only              | --only needs a value",
                "bench.sh            | --library           | --library needs a value",
                "dev/site.sh         | --nope              | no such option: --nope",
                "dev/vendor-samples.sh | /nowhere          | FOLDER is missing: a copy of doca-samples",
                "bench.sh            | --library nowhere   | no such folder: nowhere",
                "test.sh             | nope                | no such stage: nope",
                "test.sh             | abi --nope          | no such option: --nope",
                "test.sh             | abi --quick         | --quick is alone",
                "test.sh             | abi --library x     | --library goes with sdk",
                "test.sh             | abi -y              | --yes goes with --setup",
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

    /** In a folder with spaces, by a link, and where CDPATH leads cd elsewhere and makes it print. */
    @Test
    void scriptsFindTheirFolder(@TempDir Path folder) throws Exception {
        String copy = folder.resolve("a copy").toString();
        Script links = Script.runLine(
                "mkdir -p \"$1/src/main\" && cp -R scripts \"$1\" && cp -R src/main/tool \"$1/src/main\" &&"
                        + " cd \"$1\" && ls scripts/*.sh scripts/dpa* scripts/dev/*.sh",
                copy);
        for (String script : links.output().lines().toList()) {
            String wanted = Script.runLine(script + " --help").output();
            assertThat(wanted).as(script).hasSizeGreaterThan(100).doesNotContain("No such");
            Script there = Script.runLine("cd \"$1\" && CDPATH=.:/ " + script + " --help", copy);
            assertThat(there.output()).as(script).isEqualTo(wanted);
            Script link = Script.runLine(
                    "cd \"$1/src\" && ln -sf \"../" + script + "\" link && CDPATH=.:/ ./link --help", copy);
            assertThat(link.output()).as("link to " + script).isEqualTo(wanted);
            assertThat(List.of(there.status(), link.status())).as(script).containsOnly(0);
        }
        Script root = Script.runLine("cd \"$1\" && CDPATH=. && . scripts/dev/lib/tools.sh && echo $COMCH4J_ROOT", copy);
        assertThat(root.output()).isEqualTo(copy + "\n");
    }

    /** The launcher, likewise: where its jars are. */
    @Test
    void theLauncherFindsItsJars(@TempDir Path folder) throws Exception {
        Script done = Script.runLine(
                "mkdir -p \"$1/a tool/bin\" \"$1/jdk/bin\" && cp src/main/tool/comch \"$1/a tool/bin\" && cd \"$1\" &&"
                        + " printf '#!/bin/sh\nprintf \"%%s\\\\n\" \"$@\"\n' >jdk/bin/java && chmod +x jdk/bin/java &&"
                        + " ln -s 'a tool/bin/comch' link && export JAVA_HOME=$1/jdk CDPATH=.:/ &&"
                        + " './a tool/bin/comch' && 'a tool/bin/comch' && ./link",
                folder.toString());
        assertThat(done.status()).as(done.output()).isZero();
        assertThat(done.output().lines().filter(line -> line.endsWith("/lib/*")))
                .hasSize(3)
                .containsOnly(folder + "/a tool/lib/*");
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
        report(
                folder.resolve("one"),
                ran("always"),
                leftOut("there"),
                leftOut("many(int)"),
                leftOut("a(int)[2]"),
                leftOut("nowhere"));
        report(
                folder.resolve("other"),
                ran("always"),
                ran("there"),
                ran("many(int)[1]"),
                ran("a(int)[2]"),
                leftOut("nowhere"));
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

    /** Of all that a build leaves there: the one with the emulated device, and with nothing else. */
    @Test
    void theLibrarysJarIsFound(@TempDir Path folder) throws Exception {
        Path target = Files.createDirectory(folder.resolve("target"));
        for (String kind : List.of("hardware", "javadoc", "sources", "testing", "tool")) {
            Files.createFile(target.resolve("comch4j-0.1.0-" + kind + ".jar"));
        }
        String find = "COMCH4J_ROOT=$1; . scripts/dev/lib/jar.sh; find_jar";
        assertThat(Script.runLine(find, folder.toString()).output()).isEmpty();
        Path jar = Files.createFile(target.resolve("comch4j-0.1.0.jar"));
        assertThat(Script.runLine(find, folder.toString()).output()).isEqualTo(jar + "\n");
    }

    /** Once, and again when the jar is newer. */
    @Test
    void theToolIsMadeWhereItIsSaidToBe(@TempDir Path folder) throws Exception {
        Script made = Script.runLine(
                "COMCH4J_ROOT=$1; . scripts/dev/lib/jar.sh; say() { echo \"$*\"; }; die() { echo \"$*\"; exit 1; }\n"
                        + "maven() { mkdir -p $COMCH4J_ROOT/comch-1/bin; echo new >$COMCH4J_ROOT/comch-1/bin/comch;"
                        + " tar -czf $COMCH4J_ROOT/target/comch-1.tar.gz -C $COMCH4J_ROOT comch-1; }\n"
                        + "mkdir -p $1/target/logs; jar=$1/target/comch4j-1.jar; touch -d '1 hour ago' $jar\n"
                        + "build_tool; cat $comch; echo old >$comch; build_tool; cat $comch\n"
                        + "touch -d '1 hour' $jar; build_tool; cat $comch; echo $comch",
                folder.toString());
        assertThat(made.output())
                .isEqualTo("making the archive of comch\nnew\nold\nmaking the archive of comch\nnew\n"
                        + folder.resolve("target/comch/bin/comch") + "\n");
    }

    /** No program of the build is started with whatever java the PATH has. */
    @Test
    void theBuildHasOneJdk() throws Exception {
        assertThat(Files.readString(Path.of("pom.xml")))
                .contains("<executable>${tool.java}</executable>", "<tool.java>${java.home}/bin/java</tool.java>")
                .doesNotContain("<executable>java</executable>");
    }
}
