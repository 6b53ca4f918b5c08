package io.github.comch4j.cli.program;

import java.util.Collection;
import java.util.Map;

/** Writes JSON: maps, collections, numbers, truth values and text. */
public final class Json {
    private final StringBuilder text = new StringBuilder();

    private Json() {}

    public static String of(Object value) {
        Json json = new Json();
        json.write(value, "\n");
        return json.text.append('\n').toString();
    }

    private void write(Object value, String newLine) {
        if (value instanceof Map<?, ?> map) {
            writeAll("{", map.entrySet(), "}", newLine);
        } else if (value instanceof Collection<?> list) {
            writeAll("[", list, "]", newLine);
        } else if (value instanceof Map.Entry<?, ?> entry) {
            string(entry.getKey().toString());
            text.append(": ");
            write(entry.getValue(), newLine);
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            string(value.toString());
        }
    }

    private void writeAll(String begin, Collection<?> elements, String end, String newLine) {
        String before = begin;
        for (Object element : elements) {
            text.append(before).append(newLine).append("  ");
            write(element, newLine + "  ");
            before = ",";
        }
        text.append(elements.isEmpty() ? begin : newLine).append(end);
    }

    private void string(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char each = value.charAt(i);
            if (each == '"' || each == '\\') {
                text.append('\\').append(each);
            } else if (each < ' ' || each > '~') {
                text.append("\\u%04x".formatted((int) each));
            } else {
                text.append(each);
            }
        }
        text.append('"');
    }
}
