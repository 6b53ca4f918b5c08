package io.github.comch4j.core;

import java.io.Serializable;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern TEXT =
            Pattern.compile("(?:(\\p{XDigit}{4}):)?(\\p{XDigit}{2}):([01]\\p{XDigit})\\.([0-7])");

    /** Checks the ranges. */
    public PciAddress {
        check("domain", domain, 0xffff);
        check("bus", bus, 0xff);
        check("device", device, 0x1f);
        check("function", function, 7);
    }

    /**
     * Reads an address as DOCA and {@code lspci} write it.
     *
     * @param text {@code dddd:bb:dd.f} or {@code bb:dd.f} (domain 0), hexadecimal, in either case
     * @return the address
     * @throws IllegalArgumentException if it is written differently
     */
    public static PciAddress of(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a PCI address: '" + text + "' (expected 0000:b1:00.0 or b1:00.0)");
        }
        String domain = matcher.group(1);
        return new PciAddress(
                domain == null ? 0 : Integer.parseInt(domain, 16),
                Integer.parseInt(matcher.group(2), 16),
                Integer.parseInt(matcher.group(3), 16),
                Integer.parseInt(matcher.group(4), 16));
    }

    /**
     * The order of {@code lspci}: by domain, bus, device, function.
     *
     * @param other another address
     * @return negative, zero or positive
     */
    @Override
    public int compareTo(PciAddress other) {
        return Integer.compare(packed(), other.packed());
    }

    /**
     * The long form.
     *
     * @return {@code dddd:bb:dd.f} in lower-case hexadecimal
     */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%04x:%02x:%02x.%d", domain, bus, device, function);
    }

    private int packed() {
        return (domain << 16 | bus << 8 | device << 3 | function)
                ^ Integer.MIN_VALUE; // domains above 0x7fff are not negative
    }

    private static void check(String part, int value, int max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException("PCI " + part + " " + value + " is not within 0 to " + max);
        }
    }
}
