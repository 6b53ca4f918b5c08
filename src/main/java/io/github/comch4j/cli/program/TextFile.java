package io.github.comch4j.cli.program;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Files that people write, and text of theirs in messages. */
public final class TextFile {
    private static final String MARK = "\uFEFF"; // some editors begin a file with it
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Z}&&[^ \\t\\n]]");

    private TextFile() {}

    /**
     * The lines of a file in UTF-8, without a mark of that at its beginning.
     *
     * @throws ProgramException if one is no UTF-8
     */
    public static List<String> lines(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        // of bytes, so that the line is known that is no UTF-8
        for (String each : Files.readString(file, StandardCharsets.ISO_8859_1).split("\r?\n")) {
            String line;
            try {
                line = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(each.getBytes(StandardCharsets.ISO_8859_1)))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new ProgramException(file + ", line " + (lines.size() + 1) + ": this is not UTF-8", e);
            }
            lines.add(lines.isEmpty() && line.startsWith(MARK) ? line.substring(1) : line);
        }
        return lines;
    }

    /** The text for a message: characters that nobody sees, such as a space of no width, by their numbers. */
    public static String visible(String text) {
        return INVISIBLE
                .matcher(text)
                .replaceAll(found -> "\\\\u{%04x}".formatted(found.group().codePointAt(0)));
    }
}
