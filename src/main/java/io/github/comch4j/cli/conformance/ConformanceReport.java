package io.github.comch4j.cli.conformance;

import io.github.comch4j.cli.program.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the kit has seen. Nothing in it tells whose machine it was: no addresses, serial numbers, names of hosts, users,
 * folders or interfaces.
 */
final class ConformanceReport {
    private static final int WIDTH = 36;

    private final Map<KitSide, Map<String, String>> sides;
    private final boolean quick;
    private final List<ProbeResult> results = new ArrayList<>();

    /** {@code sides} has what is known of each: the library, Java, the processor. */
    ConformanceReport(Map<KitSide, Map<String, String>> sides, boolean quick) {
        this.sides = sides;
        this.quick = quick;
    }

    void add(ProbeResult result) {
        results.add(result);
    }

    boolean isGood() {
        return results.stream().allMatch(ProbeResult::isGood);
    }

    /** What both sides are, and how much of the kit was asked for. */
    String heading() {
        StringBuilder text = new StringBuilder();
        sides.forEach((side, facts) -> text.append("%-5s %s%n".formatted(side, String.join(", ", facts.values()))));
        return text + (quick ? "quick\n" : "");
    }

    /** One probe; {@code all} its answers, or those that are not as expected alone. */
    static String text(ProbeResult result, boolean all) {
        StringBuilder text = new StringBuilder("%-36s %-12s %6.1f s  %s%n"
                .formatted(result.probe.name, result.verdict(), result.seconds(), result.probe.about));
        for (ProbeResult.Answer answer : result.answers()) {
            if (all || answer.verdict() != AnswerVerdict.AS_EXPECTED) {
                text.append(line(answer));
            }
        }
        if (!result.note().isEmpty()) {
            text.append("    ").append(result.note()).append('\n');
        }
        return text.toString();
    }

    private static String line(ProbeResult.Answer answer) {
        String seen = answer.seen() == null ? "not answered" : answer.seen();
        String expected = String.join(" or ", answer.question().expected());
        String more = answer.verdict() == AnswerVerdict.DIFFERS ? "   expected: " + expected : "";
        return ("    %-" + WIDTH + "s %s%s%n").formatted(answer.question().text(), seen, more);
    }

    String totals() {
        return "%d probes: %d as expected, %d differ, %d not answered%n"
                .formatted(
                        results.size(),
                        results.stream().filter(ProbeResult::isGood).count(),
                        count(AnswerVerdict.DIFFERS),
                        count(AnswerVerdict.NOT_ANSWERED));
    }

    private long count(AnswerVerdict verdict) {
        return results.stream().filter(result -> result.verdict() == verdict).count();
    }

    /** Writes NAME.txt and NAME.json. */
    void write(Path name) throws IOException {
        StringBuilder text =
                new StringBuilder("comch conformance\n").append(heading()).append('\n');
        results.forEach(result -> text.append(text(result, true)));
        Files.writeString(named(name, ".txt"), text.append('\n').append(totals()));
        Files.writeString(named(name, ".json"), Json.of(asMap()));
    }

    private static Path named(Path name, String suffix) {
        return name.resolveSibling(name.getFileName() + suffix);
    }

    private Map<String, Object> asMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("report", "comch conformance");
        map.put("version", Conformance.VERSION);
        sides.forEach((side, facts) -> map.put(side.toString(), facts));
        map.put("quick", quick);
        map.put("probes", results.stream().map(ConformanceReport::asMap).toList());
        return map;
    }

    private static Map<String, Object> asMap(ProbeResult result) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", result.probe.name);
        map.put("about", result.probe.about);
        map.put("verdict", result.verdict());
        map.put("seconds", Math.round(result.seconds() * 100) / 100.0);
        if (!result.note().isEmpty()) {
            map.put("note", result.note());
        }
        map.put(
                "answers",
                result.answers().stream().map(ConformanceReport::asMap).toList());
        return map;
    }

    private static Map<String, Object> asMap(ProbeResult.Answer answer) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("question", answer.question().text());
        map.put("expected", answer.question().expected());
        if (answer.seen() != null) {
            map.put("seen", answer.seen());
        }
        map.put("verdict", answer.verdict());
        return map;
    }
}
