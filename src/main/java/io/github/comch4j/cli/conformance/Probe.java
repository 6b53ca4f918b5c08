package io.github.comch4j.cli.conformance;

import io.github.comch4j.comch.ComchConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** What is asked of the device, by a half on the host and a half on the DPU that run at the same time. */
final class Probe {
    private static final int SECONDS = 30;

    /** A half of a probe. */
    @FunctionalInterface
    interface Part {
        void run(Stage stage) throws Exception;
    }

    /** A half of a probe whose halves are connected, as {@link Stage#link} does it. */
    @FunctionalInterface
    interface LinkedPart {
        void run(Stage stage, ComchConnection connection) throws Exception;
    }

    /** An area and a word, as {@code consumer.flushed}. */
    final String name;

    /** What it is about, for people. */
    final String about;

    /** What is asked, in the order of the report. */
    final List<Question> questions = new ArrayList<>();

    private Part host = stage -> {};
    private Part dpu = stage -> {};
    private BooleanSupplier there = () -> true;
    private boolean quick = true;
    private int seconds = SECONDS;

    private Probe(String name, String about) {
        this.name = name;
        this.about = about;
    }

    static Probe of(String name, String about) {
        return new Probe(name, about);
    }

    /** A question that the emulated device answers in one of these ways. */
    Probe expect(String question, String... answers) {
        questions.add(new Question(question, List.of(answers)));
        return this;
    }

    /** A question without a right answer. */
    Probe measure(String question) {
        return expect(question);
    }

    /** A question that this half answers in one call, after those that were asked before. */
    Probe ask(KitSide side, String question, Function<Stage, Object> asking, String... answers) {
        String whole = side + ": " + question;
        Part before = side == KitSide.HOST ? host : dpu;
        Part then = stage -> {
            before.run(stage);
            stage.answer(whole, asking.apply(stage));
        };
        return side == KitSide.HOST
                ? expect(whole, answers).host(then)
                : expect(whole, answers).dpu(then);
    }

    /** The same of both halves. */
    Probe ask(String question, Function<Stage, Object> asking, String... answers) {
        return ask(KitSide.HOST, question, asking, answers).ask(KitSide.DPU, question, asking, answers);
    }

    Probe host(Part part) {
        host = part;
        return this;
    }

    Probe host(LinkedPart part) {
        return host(stage -> part.run(stage, stage.link()));
    }

    Probe dpu(Part part) {
        dpu = part;
        return this;
    }

    Probe dpu(LinkedPart part) {
        return dpu(stage -> part.run(stage, stage.link()));
    }

    /** The DPU's half only has to be there until the host's is through. */
    Probe hostAlone(LinkedPart part) {
        return host(part).dpu((stage, connection) -> {});
    }

    /** Left out by {@code --quick}; each half may take so long. */
    Probe slow(int mostSeconds) {
        quick = false;
        seconds = mostSeconds;
        return this;
    }

    /** Where that is not so, the release lacks what the probe is about, which is the answer to all that it asks. */
    Probe needing(BooleanSupplier isThere) {
        there = isThere;
        return this;
    }

    Part part(KitSide side) {
        if (!there.getAsBoolean()) {
            return stage -> questions.forEach(question -> stage.answer(question.text(), CallOutcome.LACKS));
        }
        return side == KitSide.HOST ? host : dpu;
    }

    /** Whether {@code --quick} has it. */
    boolean isQuick() {
        return quick;
    }

    /** How long a half may take. */
    int seconds() {
        return seconds;
    }
}
