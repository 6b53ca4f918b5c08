package samples.filetransfer;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write them: 4096, 64k, 1m, 2g. */
final class Sizes {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,15})([kmg]?)(?:i?b)?", Pattern.CASE_INSENSITIVE);
    private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

    private Sizes() {}

    static long parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new NumberFormatException("not a size: " + text);
        }
        int shift = switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
            case "k" -> 10;
            case "m" -> 20;
            case "g" -> 30;
            default -> 0;
        };
        return Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
    }

    static String format(long bytes) {
        if (bytes < 1024) {
            return bytes == 1 ? "1 byte" : bytes + " bytes";
        }
        double value = bytes;
        int unit = -1;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return (value == Math.rint(value) ? "%.0f %s" : "%.1f %s").formatted(value, UNITS[unit]);
    }
}
