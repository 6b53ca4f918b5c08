package io.github.comch4j.cli.conformance;

import java.util.ArrayList;
import java.util.List;

/**
 * What is asked of the device, by a half on the host and a half on the DPU that run at the same time.
 *
 * @param name an area and a word, as {@code consumer.flushed}
 * @param about what it is about, for people
 * @param questions what is asked, in the order of the report
 * @param host what the half on the host does
 * @param dpu what the half on the DPU does
 * @param quick whether {@code --quick} has it
 * @param seconds how long a half may take
 */
record Probe(String name, String about, List<Question> questions, Part host, Part dpu, boolean quick, int seconds) {
    private static final int SECONDS = 30;

    /** A half of a probe. */
    @FunctionalInterface
    interface Part {
        void run(Stage stage) throws Exception;
    }

    static Builder of(String name, String about) {
        return new Builder(name, about);
    }

    Part part(KitSide side) {
        return side == KitSide.HOST ? host : dpu;
    }

    static final class Builder {
        private final String name;
        private final String about;
        private final List<Question> questions = new ArrayList<>();
        private Part host = stage -> {};
        private Part dpu = stage -> {};
        private boolean quick = true;
        private int seconds = SECONDS;

        private Builder(String name, String about) {
            this.name = name;
            this.about = about;
        }

        /** A question that the emulated device answers in one of these ways. */
        Builder expect(String question, String... answers) {
            questions.add(new Question(question, List.of(answers)));
            return this;
        }

        /** A question without a right answer. */
        Builder measure(String question) {
            return expect(question);
        }

        Builder host(Part part) {
            host = part;
            return this;
        }

        Builder dpu(Part part) {
            dpu = part;
            return this;
        }

        Builder both(Part part) {
            return host(part).dpu(part);
        }

        /** Left out by {@code --quick}; each half may take so long. */
        Builder slow(int mostSeconds) {
            quick = false;
            seconds = mostSeconds;
            return this;
        }

        Probe build() {
            return new Probe(name, about, List.copyOf(questions), host, dpu, quick, seconds);
        }
    }
}
