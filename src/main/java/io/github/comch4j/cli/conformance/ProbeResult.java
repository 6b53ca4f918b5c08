package io.github.comch4j.cli.conformance;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What was seen of one probe. */
final class ProbeResult {
    /** An answer as the report has it; {@code seen} is null if there was none. */
    record Answer(Question question, @Nullable String seen) {
        AnswerVerdict verdict() {
            return question.verdict(seen);
        }
    }

    final Probe probe;
    private final Map<String, String> seen = new LinkedHashMap<>();
    private final long began = System.nanoTime();
    private double seconds;
    private String note = "";

    ProbeResult(Probe probe) {
        this.probe = probe;
    }

    void answer(String question, String value) {
        seen.putIfAbsent(question, value);
    }

    /** A half has ended: {@code reason} says why before its time, and is empty if not. */
    void ended(String reason) {
        if (!reason.isEmpty()) {
            note += (note.isEmpty() ? "" : "; ") + CallOutcome.clean(reason);
        }
        seconds = (System.nanoTime() - began) / 1e9;
    }

    String note() {
        return note;
    }

    double seconds() {
        return seconds;
    }

    /** One for each question, and then what nobody asked. */
    List<Answer> answers() {
        return Stream.concat(
                        probe.questions.stream().map(question -> new Answer(question, seen.get(question.text()))),
                        seen.keySet().stream()
                                .filter(text -> probe.questions.stream()
                                        .noneMatch(question -> question.text().equals(text)))
                                .map(text -> new Answer(new Question(text, List.of()), seen.get(text))))
                .toList();
    }

    AnswerVerdict verdict() {
        AnswerVerdict worst = answers().stream()
                .map(Answer::verdict)
                .max(AnswerVerdict::compareTo)
                .orElse(AnswerVerdict.AS_EXPECTED);
        return note.isEmpty() ? worst : AnswerVerdict.NOT_ANSWERED;
    }

    boolean isGood() {
        return verdict().compareTo(AnswerVerdict.DIFFERS) < 0;
    }
}
