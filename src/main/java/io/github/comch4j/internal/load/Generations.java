package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.failure.Failures;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Tells Comch's generations apart by what libraries export: the file has one name in DOCA 2.5 and 2.6. */
final class Generations {

    private Generations() {}

    /** Which one it is; the newest, should there be several. */
    static Optional<Generation> of(SymbolLookup libraries) {
        Generation[] all = Generation.values();
        for (int i = all.length - 1; i >= 0; i--) {
            if (libraries.find(mark(all[i])).isPresent()) {
                return Optional.of(all[i]);
            }
        }
        return Optional.empty();
    }

    /** For a library in which there is none. */
    static NativeLibraryException unknown(Path comch) {
        return Failures.unusable(
                comch + " does not match any supported release of DOCA: it lacks "
                        + newestFirst()
                                .map(generation -> mark(generation) + " (" + describe(generation) + ")")
                                .collect(Collectors.joining(", "))
                        + "; set " + LibrarySettings.LIBRARY_PROPERTY + "=emulated to run without it",
                null);
    }

    /** In a few words. */
    static String describe(Generation generation) {
        return switch (generation) {
            case COMCH -> "doca_comch of DOCA 2.7 or later";
            case CC_2_6 -> "doca_cc of DOCA 2.6";
            case CC_2_5 -> "doca_cc of DOCA 2.5";
        };
    }

    private static Stream<Generation> newestFirst() {
        return Arrays.stream(Generation.values()).sorted((left, right) -> right.compareTo(left));
    }

    /** The same question in each, under a name that no other generation has. */
    private static String mark(Generation generation) {
        return switch (generation) {
            case COMCH -> "doca_comch_consumer_cap_is_supported";
            case CC_2_6 -> "doca_cc_consumer_cap_is_supported";
            case CC_2_5 -> "doca_cc_cap_is_consumer_supported";
        };
    }
}
