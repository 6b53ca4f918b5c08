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
    private static final char MARK = '\uFEFF'; // some editors begin a file with it
    private static final Pattern INVISIBLE = Pattern.compile("[\\p{C}\\p{Z}&&[^ \\t\\n]]");

    private TextFile() {}

    /**
     * The lines of a file in UTF-8, without a mark of that at its beginning.
     *
     * @throws ProgramException if one is no UTF-8
     */
    public static List<String> lines(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        List<String> lines = new ArrayList<>();
        for (int from = 0, to; from < bytes.length; from = to + 1) {
            to = from;
            while (to < bytes.length && bytes[to] != '\n') {
                to++;
            }
            int length = to > from && bytes[to - 1] == '\r' ? to - from - 1 : to - from;
            String line;
            try {
                line = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, from, length))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new ProgramException(file + ", line " + (lines.size() + 1) + ": this is not UTF-8", e);
            }
            boolean marked = lines.isEmpty() && !line.isEmpty() && line.charAt(0) == MARK;
            lines.add(marked ? line.substring(1) : line);
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
