package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.channel.channel_h;
import io.github.comch4j.ffi.dma.dma_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.ffi.dpa.dpa_h;
import io.github.comch4j.internal.load.Symbols;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The calls are those of the generated bindings, or have the types of these. */
class BindingsUseTest {
    private static final Path SOURCES = Path.of("src", "main", "java", "io", "github", "comch4j", "internal", "call");
    /** What is called for each message, at most. */
    private static final int MOST = 40;

    private static final List<Class<?>> BINDINGS =
            List.of(doca_h.class, cc_h.class, channel_h.class, dma_h.class, dpa_h.class);
    private static final Pattern HANDLE =
            Pattern.compile("MethodHandle (\\w+) =\\s+Symbols\\.downcall\\(\\s*\"(doca_\\w+)\"");
    private static final Pattern CALL = Pattern.compile("\\b(?:doca|cc|channel|dma)_h\\s*\\.(doca_\\w+)\\(");

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    private static Map<String, String> sources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
            }
        }
        return sources;
    }

    /** Else the bindings would look for a function that is missing, and fail with an error that says nothing. */
    @Test
    void everyFunctionIsAskedForBeforeItIsCalled() throws IOException {
        List<String> unasked = new ArrayList<>();
        int calls = 0;
        for (Map.Entry<String, String> source : sources().entrySet()) {
            Matcher call = CALL.matcher(source.getValue());
            while (call.find()) {
                calls++;
                String before = source.getValue().substring(0, call.start());
                if (!asking(call.group(1)).matcher(before).find()) {
                    unasked.add(source.getKey() + ": " + call.group(1));
                }
            }
        }
        assertThat(unasked).isEmpty();
        assertThat(calls).isGreaterThan(250);
    }

    /**
     * In front of the call: in the same expression or the statement before, or as the name of a question. For servers
     * and clients at the method's begin, by what comes behind the kind.
     */
    private static Pattern asking(String function) {
        String name = '"' + function + '"';
        String what = '"' + function.replaceFirst("doca_(comch|cc)_(server|client)_", "") + '"';
        return Pattern.compile("(present\\(" + name + "\\)\\s*\\.\\w+\\([^;{}]*"
                + "|present\\(" + name + "\\);\\s+(return )?(doca_data\\.u64\\()?"
                + "|present\\((named|ofRelease)\\([^;]*" + what + "[^;]*\\)\\);((?!\\n    }\\n)[\\s\\S])*"
                + "|" + name + ",\\s+out -> )\\z");
    }

    /** Whose functions are called without asking: kernels run on the emulated DPA alone. */
    @Test
    void theEmulatedDpaHasAllThatKernelsCall() {
        Feature.DPA.assume();
        assertThat(dpa_h.class.getDeclaredMethods())
                .filteredOn(method -> method.getName().matches("doca_dpa_dev_\\w+"))
                .hasSizeGreaterThan(30)
                .allMatch(method -> Symbols.has(method.getName()));
    }

    @Test
    void handlesThatAreMadeByHandHaveTheTypesOfTheHeaders() throws IOException, ReflectiveOperationException {
        int handles = 0;
        for (Map.Entry<String, String> source : sources().entrySet()) {
            Matcher handle = HANDLE.matcher(source.getValue());
            while (handle.find()) {
                Method bound = bound(handle.group(2));
                if (bound == null) {
                    continue; // a variadic function, or one of the emulator's own
                }
                handles++;
                assertThat(sameWords(typeOf(source.getKey(), handle.group(1)), typeOf(bound)))
                        .as("%s.%s, of %s", source.getKey(), handle.group(1), handle.group(2))
                        .isTrue();
            }
        }
        assertThat(handles).isBetween(30, MOST);
    }

    private static Method bound(String function) {
        return BINDINGS.stream()
                .flatMap(bindings -> Stream.of(bindings.getDeclaredMethods()))
                .filter(method -> method.getName().equals(function))
                .findAny()
                .orElse(null);
    }

    private static MethodType typeOf(String type, String field) throws ReflectiveOperationException {
        Class<?> calls = Class.forName(BindingsUseTest.class.getPackageName() + "." + type);
        for (Class<?> place : Stream.concat(Stream.of(calls), Stream.of(calls.getDeclaredClasses()))
                .toList()) {
            for (Field found : place.getDeclaredFields()) {
                if (found.getName().equals(field) && Modifier.isStatic(found.getModifiers())) {
                    found.setAccessible(true);
                    return ((MethodHandle) found.get(null)).type();
                }
            }
        }
        throw new AssertionError(type + " has no " + field);
    }

    /** A union, which is returned into a segment, is a word. */
    private static MethodType typeOf(Method method) {
        MethodType type = MethodType.methodType(method.getReturnType(), method.getParameterTypes());
        return type.parameterCount() > 0 && type.parameterType(0) == SegmentAllocator.class
                ? type.dropParameterTypes(0, 1)
                : type;
    }

    /** An address may be a segment or a long. */
    private static boolean sameWords(MethodType handle, MethodType header) {
        List<Class<?>> ours = new ArrayList<>(handle.parameterList());
        List<Class<?>> theirs = new ArrayList<>(header.parameterList());
        ours.add(handle.returnType());
        theirs.add(header.returnType());
        boolean same = ours.size() == theirs.size();
        for (int i = 0; same && i < ours.size(); i++) {
            same = ours.get(i) == theirs.get(i) || (ours.get(i) == long.class && theirs.get(i) == MemorySegment.class);
        }
        return same;
    }
}
