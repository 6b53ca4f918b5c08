package io.github.comch4j.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the kit makes of answers. */
class ConformanceReportTest {
    static {
        Machine.useEmulation();
    }

    private static ProbeResult result(Map<String, String> answers) {
        ProbeResult result = new ProbeResult(
                Probe.of("area.word", "About \"it\"").expect("one", "a", "b").measure("two"));
        answers.forEach(result::answer);
        result.ended("");
        return result;
    }

    @Test
    void theWorstAnswerIsThatOfTheProbe() {
        assertThat(result(Map.of("one", "a", "two", "7")).verdict()).isEqualTo(AnswerVerdict.AS_EXPECTED);
        assertThat(result(Map.of("one", "b", "two", "7")).isGood()).isTrue();
        assertThat(result(Map.of("one", "c", "two", "7")).verdict()).isEqualTo(AnswerVerdict.DIFFERS);
        assertThat(result(Map.of("one", "c")).verdict()).isEqualTo(AnswerVerdict.NOT_ANSWERED);
        assertThat(result(Map.of("one", "a", "two", "7")).answers()).hasSize(2);
        assertThat(result(Map.of("one", "a", "two", "7", "more", "x")).answers())
                .hasSize(3);
    }

    @Test
    void aHalfThatEndsBeforeItsTimeIsNoAnswer() {
        ProbeResult result = result(Map.of("one", "a", "two", "7"));
        result.ended("host: waited in vain");
        assertThat(result.isGood()).isFalse();
        assertThat(ConformanceReport.text(result, false)).contains("host: waited in vain");
    }

    @Test
    void aReportIsTextAndJson(@TempDir Path folder) throws Exception {
        ConformanceReport report =
                new ConformanceReport(new TreeMap<>(Map.of(KitSide.HOST, Map.of("doca", "1"))), false);
        report.add(result(Map.of("one", "c\\\u00e9", "two", "7")));
        assertThat(report.isGood()).isFalse();
        report.write(folder.resolve("it"));
        assertThat(Files.readString(folder.resolve("it.txt")))
                .contains("expected: a or b", "1 probes: 0 as expected, 1 differ, 0 not answered");
        assertThat(Files.readString(folder.resolve("it.json")))
                .contains(
                        "\"about\": \"About \\\"it\\\"\"",
                        "\"seen\": \"c\\\\\\u00e9\"",
                        "\"verdict\": \"differs\"",
                        "\"expected\": []",
                        "\"host\": {");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000:b1:00.0",
                "03:00.1",
                "02:00:5e:00:53:01",
                "192.0.2.17",
                "fe80::5eff:fe00:5301",
                "2001:db8:1:2:3:4:5:6"
            })
    void addressesAreTakenOut(String address) {
        assertThat(CallOutcome.clean("at " + address + " it\nfailed")).isEqualTo("at <address> it failed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"DOCA 2.5.0108", "IO_FAILED x4, SUCCESS x2", "1: 10, 2: 10", "STARTING IDLE", "12899.5"})
    void allElseStays(String text) {
        assertThat(CallOutcome.clean(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @EnumSource
    void probesAndQuestionsHaveNamesOfTheirOwn(Generation generation) {
        List<Probe> probes = Probes.of(generation);
        Set<String> names = probes.stream().map(probe -> probe.name).collect(Collectors.toSet());
        assertThat(names).hasSameSizeAs(probes).allMatch(name -> name.matches("[a-z]+\\.[a-z0-9-]+"));
        for (Probe probe : probes) {
            assertThat(probe.questions)
                    .as(probe.name)
                    .isNotEmpty()
                    .extracting(Question::text)
                    .doesNotHaveDuplicates()
                    .noneMatch(text -> text.indexOf(Worker.SEPARATOR) >= 0);
        }
    }
}
