package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ffi.doca_h;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bindings hold every fact of the ABI table that Java can see. Needs no native library. */
class BindingsAbiTest {

    private static final Path TABLE = Path.of("src", "test", "abi", "doca-3.0.tsv");
    private static final Path HEADERS = Path.of("headers");

    @Test
    void everyExportedFunctionIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = new TreeMap<>();
        for (String[] row : rows("function")) {
            boolean inline = row[3].equals("inline");
            boolean variadic = row[5].endsWith("...");
            if (!inline && !variadic) {
                expected.put(row[2], javaType(row[4], row[5]));
            }
        }

        Map<String, MethodType> bound = new TreeMap<>();
        for (Method method : doca_h.class.getDeclaredMethods()) {
            if (expected.containsKey(method.getName())) {
                bound.put(method.getName(), MethodType.methodType(method.getReturnType(), method.getParameterTypes()));
            }
        }
        assertThat(expected).hasSizeGreaterThan(250);
        assertThat(bound).isEqualTo(expected);
    }

    @Test
    void variadicFunctionsAreBoundAsInvokers() throws IOException {
        List<String> variadic = rows("function").stream()
                .filter(row -> row[5].endsWith("..."))
                .map(row -> row[2])
                .toList();

        assertThat(variadic).containsExactly("doca_log");
        assertThat(doca_h.class.getDeclaredClasses())
                .filteredOn(type -> Modifier.isPublic(type.getModifiers()))
                .extracting(Class::getSimpleName)
                .containsExactlyInAnyOrderElementsOf(variadic);
    }

    @Test
    void everyConstantHasItsValue() throws IOException, ReflectiveOperationException {
        Map<String, String> expected = new TreeMap<>();
        for (String[] row : rows("enum")) {
            expected.put(row[3], row[4]);
        }
        for (String[] row : rows("macro")) {
            if (!row[3].startsWith("\"")) {
                expected.put(row[2], row[3]);
            }
        }

        Map<String, String> bound = new TreeMap<>();
        for (String name : expected.keySet()) {
            bound.put(name, doca_h.class.getMethod(name).invoke(null).toString());
        }
        assertThat(expected).containsEntry("DOCA_ERROR_SKIPPED", "30");
        assertThat(bound).isEqualTo(expected);
    }

    @Test
    void everyCallbackCanBeAllocated() throws IOException {
        List<String> callbacks = rows("typedef").stream()
                .filter(row -> row[3].startsWith("void"))
                .map(row -> row[2])
                .toList();

        assertThat(callbacks).hasSize(10).allSatisfy(name -> {
            Class<?> type = Class.forName(doca_h.class.getPackageName() + "." + name);
            assertThat(type.getMethods()).extracting(Method::getName).contains("allocate", "descriptor");
        });
    }

    @Test
    void nothingButDocaIsBound() {
        assertThat(doca_h.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
                .extracting(Method::getName)
                .allMatch(name -> name.startsWith("doca_") || name.startsWith("DOCA_"));
    }

    /** The rows of one kind for the headers that the project has. */
    private static List<String[]> rows(String kind) throws IOException {
        return Files.readAllLines(TABLE).stream()
                .map(line -> line.split("\t"))
                .filter(row -> row[0].equals(kind) && Files.exists(HEADERS.resolve(row[1])))
                .toList();
    }

    private static MethodType javaType(String returns, String parameters) {
        List<Class<?>> types = new ArrayList<>();
        // A record is returned into memory that the caller provides.
        if (returns.equals("union doca_data")) {
            types.add(SegmentAllocator.class);
        }
        if (!parameters.equals("void")) {
            Arrays.stream(parameters.split(", "))
                    .map(BindingsAbiTest::javaClass)
                    .forEach(types::add);
        }
        return MethodType.methodType(returns.equals("void") ? void.class : javaClass(returns), types);
    }

    /** The Java type of a C type, with or without a parameter's name behind it. */
    private static Class<?> javaClass(String declaration) {
        String c = declaration.startsWith("const ") ? declaration.substring("const ".length()) : declaration;
        if (c.contains("*") || c.contains("_cb_t ") || c.contains("_callback") || c.startsWith("union ")) {
            return MemorySegment.class;
        }
        if (c.startsWith("enum ")) {
            return int.class;
        }
        return switch (c.split(" ")[0]) {
            case "doca_error_t", "doca_notification_handle_t", "int", "uint32_t" -> int.class;
            case "size_t", "uint64_t" -> long.class;
            case "uint16_t" -> short.class;
            case "uint8_t" -> byte.class;
            default -> throw new AssertionError("a C type without a Java type: " + declaration);
        };
    }
}
