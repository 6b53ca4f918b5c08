package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What a thread has counted after the warm-up: what it has received, or its round trips.
 *
 * @param messages in all windows
 * @param nanos of all windows
 * @param rates of each window, messages per second, in their order
 * @param refused of a sender: attempts that found no room
 * @param times of round trips; null if they were not timed
 */
record LaneResult(
        long messages,
        long nanos,
        double[] rates,
        long refused,
        @Nullable RoundTimes times) {
    private static final int MOST_TOLD = 64;

    /** How round trips are distributed, how long one usually takes, and the processor time of one, ns; 0: unknown. */
    record RoundTimes(Histogram histogram, double usual, double processor) {}

    /** Of a thread that counts nothing, as its peer does. */
    static LaneResult none(long refused) {
        return new LaneResult(0, 0, new double[0], refused, null);
    }

    /** That of rounds which began at that time, by {@link System#nanoTime()}. */
    static LaneResult of(Rounds rounds, long began) {
        RoundTimes times = new RoundTimes(rounds.single, rounds.usual(), rounds.processor());
        return new LaneResult(rounds.counted(), System.nanoTime() - began, new double[0], 0, times);
    }

    boolean hasCounted() {
        return times != null || rates.length > 0;
    }

    /** Messages per second: of windows their median. */
    double rate() {
        if (times != null) {
            return nanos == 0 ? 0 : messages * 1e9 / nanos;
        }
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    double slowest() {
        return Arrays.stream(rates).min().orElse(rate());
    }

    double fastest() {
        return Arrays.stream(rates).max().orElse(rate());
    }

    /** For the peer; of very many windows, some. */
    String text() {
        int step = Math.max(1, rates.length / MOST_TOLD);
        StringBuilder told = new StringBuilder();
        for (int i = 0; i < rates.length; i += step) {
            told.append(told.isEmpty() ? "" : ",").append(Math.round(rates[i]));
        }
        return "messages=" + messages + " nanos=" + nanos + " refused=" + refused + " rates=" + told;
    }

    static LaneResult of(String text) {
        Map<String, String> words = Plan.words(text);
        try {
            double[] rates = Arrays.stream(words.getOrDefault("rates", "").split(","))
                    .filter(word -> !word.isEmpty())
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            return new LaneResult(
                    Long.parseLong(words.getOrDefault("messages", "")),
                    Long.parseLong(words.getOrDefault("nanos", "")),
                    rates,
                    Long.parseLong(words.getOrDefault("refused", "")),
                    null);
        } catch (NumberFormatException e) {
            throw new ProgramException("the server's figures are not understood: " + text, e);
        }
    }

    @Override
    public String toString() {
        return Arrays.stream(rates).mapToObj("%.0f"::formatted).collect(Collectors.joining(" "));
    }
}
