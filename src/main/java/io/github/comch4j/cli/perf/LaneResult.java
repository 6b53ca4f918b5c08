package io.github.comch4j.cli.perf;

import io.github.comch4j.cli.program.ProgramException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a thread has received after the warm-up.
 *
 * @param messages in all windows
 * @param nanos of all windows
 * @param rates of each window, messages per second, in their order
 * @param refused of a sender: attempts that found no room
 */
record LaneResult(long messages, long nanos, double[] rates, long refused) {
    private static final int MOST_TOLD = 64;

    double median() {
        double[] sorted = rates.clone();
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    double slowest() {
        return Arrays.stream(rates).min().orElse(0);
    }

    double fastest() {
        return Arrays.stream(rates).max().orElse(0);
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
                    Long.parseLong(words.getOrDefault("refused", "")));
        } catch (NumberFormatException e) {
            throw new ProgramException("the server's figures are not understood: " + text, e);
        }
    }

    @Override
    public String toString() {
        return Arrays.stream(rates).mapToObj("%.0f"::formatted).collect(Collectors.joining(" "));
    }
}
