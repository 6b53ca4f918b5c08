package io.github.comch4j.core;

import java.io.Serializable;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The PCI address of a function: {@code 0000:b1:00.2} is domain 0, bus 0xb1, device 0, function 2.
 *
 * @param domain 0 to 0xffff
 * @param bus 0 to 0xff
 * @param device 0 to 0x1f
 * @param function 0 to 7
 */
public record PciAddress(int domain, int bus, int device, int function)
        implements Comparable<PciAddress>, Serializable {
    private static final String SHORT_FORM = "bb:dd.f";
    private static final String DOMAIN = "dddd:";

    /** Checks the ranges. */
    public PciAddress {
        check("domain", domain, 0xffff);
        check("bus", bus, 0xff);
        check("device", device, 0x1f);
        check("function", function, 7);
    }

    /**
     * Parses an address in the form that DOCA and {@code lspci} write.
     *
     * @param text {@code dddd:bb:dd.f} or {@code bb:dd.f} (domain 0), hexadecimal, in either case
     * @return the address
     * @throws IllegalArgumentException if the text has another form
     */
    public static PciAddress of(String text) {
        int start = text.length() - SHORT_FORM.length(); // of the bus
        if (start != 0 && start != DOMAIN.length()) {
            throw notAnAddress(text);
        }
        int domain = start == 0 ? 0 : number(text, 0, 4, ':', 0xffff);
        return new PciAddress(
                domain,
                number(text, start, 2, ':', 0xff),
                number(text, start + 3, 2, '.', 0x1f),
                number(text, start + 6, 1, '\0', 7));
    }

    /** Some digits, and what stands behind them; no regular expression, as those take time when the JVM starts. */
    private static int number(String text, int from, int digits, char end, int max) {
        int value = 0;
        for (int i = from; i < from + digits; i++) {
            char digit = text.charAt(i);
            if (!HexFormat.isHexDigit(digit)) {
                throw notAnAddress(text);
            }
            value = value << 4 | HexFormat.fromHexDigit(digit);
        }
        int next = from + digits;
        if (value > max || (next < text.length() && text.charAt(next) != end)) {
            throw notAnAddress(text);
        }
        return value;
    }

    private static IllegalArgumentException notAnAddress(String text) {
        return new IllegalArgumentException("not a PCI address: '" + text + "' (expected 0000:b1:00.0 or b1:00.0)");
    }

    /**
     * Compares addresses in the order of {@code lspci}: by domain, bus, device, function.
     *
     * @param other another address
     * @return negative, zero or positive
     */
    @Override
    public int compareTo(PciAddress other) {
        return Integer.compare(packed(), other.packed());
    }

    /**
     * Returns the long form of the address.
     *
     * @return {@code dddd:bb:dd.f} in lower-case hexadecimal
     */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(DOMAIN.length() + SHORT_FORM.length());
        HexFormat hex = HexFormat.of();
        text.append(hex.toHexDigits((short) domain)).append(':');
        text.append(hex.toHexDigits((byte) bus)).append(':');
        text.append(hex.toHexDigits((byte) device)).append('.');
        return text.append(function).toString();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PciAddress that && packed() == that.packed();
    }

    @Override
    public int hashCode() {
        return packed();
    }

    private int packed() {
        return (domain << 16 | bus << 8 | device << 3 | function)
                ^ Integer.MIN_VALUE; // domains above 0x7fff are not negative
    }

    private static void check(String part, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException("PCI " + part + " must be 0 to " + max + ", not " + value);
        }
    }
}
