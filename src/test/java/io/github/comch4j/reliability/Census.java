package io.github.comch4j.reliability;

import io.github.comch4j.internal.life.LiveHandles;
import io.github.comch4j.internal.life.Resource;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * All that this process holds, counted after a full garbage collection.
 *
 * @param counts of what can be told exactly: descriptors, mappings with a name, native handles, Java objects of the
 *     library, files of the emulated machine
 * @param descriptors all of them
 * @param mapLines lines of {@code /proc/self/maps}, also those of the JVM and of malloc
 * @param handles native handles of the library
 * @param heap bytes of live Java objects
 * @param malloc bytes in use by malloc, the JVM's included
 * @param residentMiB resident memory
 * @param anonymousMiB the part of it that is private
 */
record Census(
        Map<String, Long> counts,
        long descriptors,
        long mapLines,
        long handles,
        long heap,
        long malloc,
        long residentMiB,
        long anonymousMiB) {
    /** {@code jmap -histo:live}: number, instances, bytes, class. */
    private static final Pattern HISTOGRAM = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    private static final String LIBRARY = "io.github.comch4j.";
    private static final List<String> NOT_THE_LIBRARY =
            List.of(LIBRARY + "reliability.", LIBRARY + "internal.life.LiveHandles", LIBRARY + "ffi.");
    private static final MethodHandle MALLINFO = mallinfo();

    static Census now(Resource... roots) {
        Map<String, Long> counts = new TreeMap<>();
        long heap = histogram(counts);
        long descriptors = descriptors(counts);
        long mapLines = mappings(counts);
        Map<String, Integer> handles = LiveHandles.below(roots);
        handles.forEach((kind, count) -> counts.put("handle: " + kind, (long) count));
        files(counts);
        return new Census(
                counts,
                descriptors,
                mapLines,
                handles.values().stream().mapToLong(count -> count).sum(),
                heap,
                nativeBytes(),
                Resources.residentMiB(),
                Resources.anonymousMiB());
    }

    /** What there is more of than there was. */
    Map<String, String> over(Census start) {
        Map<String, String> over = new TreeMap<>();
        counts.forEach((what, count) -> {
            long before = start.counts.getOrDefault(what, 0L);
            if (count > before) {
                over.put(what, before + " -> " + count);
            }
        });
        return over;
    }

    /** Collects garbage. */
    private static long histogram(Map<String, Long> counts) {
        String text;
        try {
            text = (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {new String[0]},
                            new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new AssertionError(e);
        }
        long heap = 0;
        for (String line : text.split("\n")) {
            Matcher matcher = HISTOGRAM.matcher(line);
            if (matcher.matches()) {
                heap += Long.parseLong(matcher.group(2));
                String type = matcher.group(3);
                if (type.startsWith(LIBRARY) && NOT_THE_LIBRARY.stream().noneMatch(type::startsWith)) {
                    counts.merge(
                            "object: " + type.substring(LIBRARY.length()).replaceAll("\\$\\$Lambda.*", "\\$\\$Lambda"),
                            Long.parseLong(matcher.group(1)),
                            Long::sum);
                }
            }
        }
        return heap;
    }

    private static long descriptors(Map<String, Long> counts) {
        try (Stream<Path> entries = Files.list(Path.of("/proc/self/fd"))) {
            long all = 0;
            for (Path entry : entries.toList()) {
                all++;
                counts.merge("descriptor: " + target(entry), 1L, Long::sum);
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String target(Path entry) {
        try {
            return Files.readSymbolicLink(entry).toString().replaceAll("\\[?\\d+\\]?", "");
        } catch (IOException e) {
            return "of the count itself";
        }
    }

    private static long mappings(Map<String, Long> counts) {
        try {
            List<String> lines = Files.readAllLines(Path.of("/proc/self/maps"));
            for (String line : lines) {
                int name = line.indexOf('/');
                if (name >= 0) {
                    counts.merge("mapping: " + line.substring(name).replaceAll("\\d+", ""), 1L, Long::sum);
                }
            }
            return lines.size();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void files(Map<String, Long> counts) {
        String fabric = System.getenv("DOCA_EMU_DIR");
        String[] names = fabric == null ? null : new File(fabric).list();
        if (names != null) {
            counts.put("file of the emulated machine", (long) names.length);
        }
    }

    /** {@code mallinfo2(3)}, of glibc 2.33 and later; ten {@code size_t}. */
    @SuppressWarnings("restricted")
    private static MethodHandle mallinfo() {
        return Linker.nativeLinker()
                .defaultLookup()
                .find("mallinfo2")
                .map(address -> Linker.nativeLinker()
                        .downcallHandle(
                                address,
                                FunctionDescriptor.of(MemoryLayout.structLayout(
                                        MemoryLayout.sequenceLayout(10, ValueLayout.JAVA_LONG)))))
                .orElse(null);
    }

    private static long nativeBytes() {
        if (MALLINFO == null) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment info = (MemorySegment) MALLINFO.invokeExact((SegmentAllocator) arena);
            return info.getAtIndex(ValueLayout.JAVA_LONG, 4)
                    + info.getAtIndex(ValueLayout.JAVA_LONG, 7); // hblkhd, uordblks
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
