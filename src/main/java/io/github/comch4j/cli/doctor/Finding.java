package io.github.comch4j.cli.doctor;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One answer of {@code comch doctor}.
 *
 * @param about what was looked at, in a word or two
 * @param sentence what there is
 * @param remedy a command, or what else helps; empty if nothing is to be done
 */
public record Finding(Level level, String about, String sentence, String remedy) {
    /** How bad it is. */
    public enum Level {
        NOTE(0, "·", "-", "90"),
        GOOD(0, "✔", "ok", "32"),
        LIMIT(1, "!", "!", "33"),
        BAD(2, "✘", "x", "31");

        /** What the program ends with. */
        public final int status;

        public final String mark;
        /** Where there is no such sign. */
        public final String letters;

        public final String colour;

        Level(int status, String mark, String letters, String colour) {
            this.status = status;
            this.mark = mark;
            this.letters = letters;
            this.colour = colour;
        }
    }

    /** What was not looked at, and how it can be. */
    static Finding note(String about, String sentence, String remedy) {
        return new Finding(Level.NOTE, about, sentence, remedy);
    }

    static Finding good(String about, String sentence) {
        return new Finding(Level.GOOD, about, sentence, "");
    }

    static Finding limit(String about, String sentence, String remedy) {
        return new Finding(Level.LIMIT, about, sentence, remedy);
    }

    static Finding bad(String about, String sentence, String remedy) {
        return new Finding(Level.BAD, about, sentence, remedy);
    }

    public Map<String, Object> map() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("level", level.name().toLowerCase(java.util.Locale.ROOT));
        map.put("about", about);
        map.put("sentence", sentence);
        map.put("remedy", remedy);
        return map;
    }
}
