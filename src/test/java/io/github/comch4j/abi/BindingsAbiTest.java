package io.github.comch4j.abi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ffi.cc.cc_h;
import io.github.comch4j.ffi.channel.channel_h;
import io.github.comch4j.ffi.dma.dma_h;
import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.ffi.dpa.dpa_h;
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
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The bindings hold every fact of the ABI tables that Java can see. Needs no native library. */
class BindingsAbiTest {

    private static final Path TABLES = Path.of("src", "test", "abi");
    private static final String ENDPOINTS = "doca_comm_channel.h";
    private static final Table TODAY =
            new Table(TABLES.resolve("doca-3.0.tsv"), header -> Files.exists(Path.of("headers", header)));
    /** What programs for the DPA need of headers that have more in a whole DOCA: sync events, arrays of buffers. */
    private static final Table BESIDE_THE_DPA = new Table(TABLES.resolve("doca-3.0-dpa-host.tsv"), header -> true);

    /** What kernels call. */
    private static final Table KERNELS = new Table(TABLES.resolve("doca-3.0-dpa-dev.tsv"), header -> true);

    /** What releases after 3.0 have anew: for the host, and for kernels. */
    private static final Table SINCE = new Table(
            TABLES.resolve("doca-3.1-3.3.tsv"),
            header -> !header.equals("doca_dpa_dev.h")
                    && !header.equals("doca_clock.h") // which Java has no use for, and of the next
                    && !header.equals("doca_mmap_advise.h"));

    private static final Table KERNELS_SINCE = new Table(TABLES.resolve("doca-3.1-3.3.tsv"), "doca_dpa_dev.h"::equals);

    private static final String DMA = "doca_dma.h";
    private static final Table CC = new Table(TABLES.resolve("doca-2.5.tsv"), header -> header.startsWith("doca_cc"));
    private static final Table CORE_OF_2_5 = new Table(
            TABLES.resolve("doca-2.5.tsv"),
            header -> Files.exists(Path.of("headers", "2.5", header))
                    && !header.startsWith("doca_cc")
                    && !header.equals("doca_argp.h") // which Java has no use for
                    && !header.equals(DMA)
                    && !header.equals(ENDPOINTS));

    /** The facts of one release of DOCA, and of which headers they are. */
    private static final Table CHANNEL = new Table(TABLES.resolve("doca-2.5.tsv"), ENDPOINTS::equals);

    private static final Table DMA_OF_2_5 = new Table(TABLES.resolve("doca-2.5.tsv"), DMA::equals);

    private record Table(Path file, Predicate<String> headers) {
        List<String[]> rows(String kind) throws IOException {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split("\t"))
                    .filter(row -> row[0].equals(kind) && headers.test(row[1]))
                    .toList();
        }

        Map<String, MethodType> functions() throws IOException {
            Map<String, MethodType> functions = new TreeMap<>();
            for (String[] row : rows("function")) {
                boolean inline = row[3].equals("inline");
                boolean variadic = row[5].endsWith("...");
                if (!inline && !variadic) {
                    functions.put(row[2], javaType(row[4], row[5]));
                }
            }
            return functions;
        }

        Map<String, String> constants() throws IOException {
            Map<String, String> constants = new TreeMap<>();
            for (String[] row : rows("enum")) {
                constants.put(row[3], row[4]);
            }
            for (String[] row : rows("macro")) {
                if (!row[3].startsWith("\"")) {
                    constants.put(row[2], row[3].replaceAll("^\\((\\d+)\\)$", "$1"));
                }
            }
            return constants;
        }
    }

    /** Those of a class of bindings that are in {@code wanted}. */
    private static Map<String, MethodType> bound(Class<?> bindings, Map<String, MethodType> wanted) {
        Map<String, MethodType> bound = new TreeMap<>();
        for (Method method : bindings.getDeclaredMethods()) {
            if (wanted.containsKey(method.getName())) {
                bound.put(method.getName(), MethodType.methodType(method.getReturnType(), method.getParameterTypes()));
            }
        }
        return bound;
    }

    private static Map<String, String> values(Class<?> bindings, Map<String, String> wanted)
            throws ReflectiveOperationException {
        Map<String, String> values = new TreeMap<>();
        for (String name : wanted.keySet()) {
            values.put(name, bindings.getMethod(name).invoke(null).toString());
        }
        return values;
    }

    @Test
    void everyExportedFunctionIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = TODAY.functions();
        assertThat(expected).hasSizeGreaterThan(330);
        assertThat(bound(doca_h.class, expected)).isEqualTo(expected);
    }

    @Test
    void everyFunctionBesideTheDpaIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = BESIDE_THE_DPA.functions();
        // Nothing supports events of the other side yet.
        expected.keySet()
                .removeIf(
                        name -> name.contains("_remote_pci") || name.matches(".*event_(cap_is_)?create_from_export.*"));
        assertThat(expected).hasSize(70).containsKeys("doca_sync_event_get", "doca_buf_arr_create");
        assertThat(bound(doca_h.class, expected)).isEqualTo(expected);
    }

    @Test
    void whatLaterReleasesHaveIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = SINCE.functions();
        assertThat(expected).hasSize(5).containsKey("doca_devinfo_get_sf_index");
        assertThat(bound(doca_h.class, expected)).isEqualTo(expected);
    }

    @Test
    void everyFunctionOfDocaCcIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = CC.functions();
        assertThat(expected)
                .hasSize(66)
                .containsEntry(
                        "doca_cc_server_set_max_msg_size",
                        MethodType.methodType(int.class, MemorySegment.class, long.class));
        assertThat(bound(cc_h.class, expected)).isEqualTo(expected);
    }

    @Test
    void everyFunctionOfTheEndpointApiIsBoundWithItsTypes() throws IOException {
        Map<String, MethodType> expected = CHANNEL.functions();
        assertThat(expected).hasSize(37).containsKey("doca_comm_channel_ep_recvfrom");
        assertThat(bound(channel_h.class, expected)).isEqualTo(expected);
    }

    /** Those of 2.5, which 3.0 has with the same types. */
    @Test
    void everyFunctionOfDmaIsBoundWithItsTypes() throws IOException, ReflectiveOperationException {
        Map<String, MethodType> expected = DMA_OF_2_5.functions();
        assertThat(expected).hasSize(14).containsKey("doca_dma_task_memcpy_alloc_init");
        assertThat(new Table(TABLES.resolve("doca-3.0-dma.tsv"), DMA::equals).functions())
                .isEqualTo(expected);
        assertThat(bound(dma_h.class, expected)).isEqualTo(expected);
        assertThat(dma_h.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
                .extracting(Method::getName)
                .allMatch(name -> name.startsWith("doca_dma_"));
    }

    /** But the two that leave a kernel by a jump, past Java's frames. */
    @Test
    void everyFunctionOfKernelsIsBoundWithItsTypes() throws IOException, ReflectiveOperationException {
        Map<String, MethodType> expected = KERNELS.functions();
        assertThat(expected.remove("doca_dpa_dev_thread_reschedule")).isNotNull();
        assertThat(expected.remove("doca_dpa_dev_thread_finish")).isNotNull();
        assertThat(expected).hasSize(36).containsKey("doca_dpa_dev_comch_producer_dma_copy");
        expected.putAll(KERNELS_SINCE.functions());
        assertThat(expected).hasSize(38);
        assertThat(bound(dpa_h.class, expected)).isEqualTo(expected);
        assertThat(dpa_h.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers())
                        && method.getName().startsWith("doca_")
                        && !method.getName().contains("$"))
                .extracting(Method::getName)
                .containsExactlyInAnyOrderElementsOf(expected.keySet());
        Map<String, String> constants = KERNELS.constants();
        assertThat(constants).containsEntry("DOCA_DPA_DEV_COMP_SEND_ERR", "13");
        assertThat(values(dpa_h.class, constants)).isEqualTo(constants);
    }

    /** So that there need not be bindings of its own for Core of 2.5. */
    @Test
    void coreOf25HasTheTypesAndValuesOfToday() throws IOException, ReflectiveOperationException {
        Map<String, MethodType> older = CORE_OF_2_5.functions();
        assertThat(older).hasSizeGreaterThan(130);
        older.keySet()
                .removeAll(List.of("doca_log_backend_create_with_buffer", "doca_log_backend_create_with_buffer_sdk"));
        assertThat(bound(doca_h.class, older)).isEqualTo(older);
        Map<String, String> constants = CORE_OF_2_5.constants();
        constants.keySet().removeIf(name -> name.startsWith("DOCA_VER_"));
        assertThat(constants).containsEntry("DOCA_ERROR_TOO_BIG", "27");
        assertThat(values(doca_h.class, constants)).isEqualTo(constants);
    }

    @Test
    void variadicFunctionsAreBoundAsInvokers() throws IOException {
        List<String> variadic = TODAY.rows("function").stream()
                .filter(row -> row[5].endsWith("..."))
                .map(row -> row[2])
                .toList();

        assertThat(variadic)
                .containsExactlyInAnyOrder(
                        "doca_log",
                        "doca_dpa_kernel_launch_update_add",
                        "doca_dpa_kernel_launch_update_set",
                        "doca_dpa_rpc");
        assertThat(doca_h.class.getDeclaredClasses())
                .filteredOn(type -> Modifier.isPublic(type.getModifiers()))
                .extracting(Class::getSimpleName)
                .containsExactlyInAnyOrderElementsOf(variadic);
    }

    @Test
    void everyConstantHasItsValue() throws IOException, ReflectiveOperationException {
        Map<String, String> expected = TODAY.constants();
        assertThat(expected).containsEntry("DOCA_ERROR_SKIPPED", "30");
        assertThat(values(doca_h.class, expected)).isEqualTo(expected);
        Map<String, String> ofCc = CC.constants();
        assertThat(ofCc).hasSize(4);
        assertThat(values(cc_h.class, ofCc)).isEqualTo(ofCc);
    }

    /** This library has one constant for both. */
    @Test
    void theCountersOfDocaCcAreThoseOfComch() throws IOException {
        Map<String, String> today = TODAY.constants();
        assertThat(CC.constants())
                .allSatisfy((name, value) ->
                        assertThat(today).containsEntry(name.replace("DOCA_CC_", "DOCA_COMCH_"), value));
    }

    @Test
    void everyCallbackCanBeAllocated() throws IOException {
        assertThat(callbacks(TODAY, doca_h.class)).isEqualTo(11);
        assertThat(callbacks(CC, cc_h.class)).isEqualTo(6);
    }

    private static int callbacks(Table table, Class<?> bindings) throws IOException {
        List<String> callbacks = table.rows("typedef").stream()
                .filter(row -> row[3].startsWith("void"))
                .map(row -> row[2])
                .toList();
        assertThat(callbacks).allSatisfy(name -> {
            Class<?> type = Class.forName(bindings.getPackageName() + "." + name);
            assertThat(type.getMethods()).extracting(Method::getName).contains("allocate", "descriptor");
        });
        return callbacks.size();
    }

    @Test
    void nothingButDocaIsBound() {
        assertThat(doca_h.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
                .extracting(Method::getName)
                .allMatch(name -> name.startsWith("doca_") || name.startsWith("DOCA_"));
        assertThat(cc_h.class.getDeclaredMethods())
                .filteredOn(method -> Modifier.isPublic(method.getModifiers()))
                .extracting(Method::getName)
                .allMatch(name -> name.startsWith("doca_cc_") || name.startsWith("DOCA_CC_"));
    }

    private static MethodType javaType(String returns, String parameters) {
        List<Class<?>> types = new ArrayList<>();
        if (returns.startsWith("union ")) {
            types.add(SegmentAllocator.class);
        }
        if (!parameters.equals("void")) {
            Arrays.stream(parameters.split(", "))
                    .map(BindingsAbiTest::javaClass)
                    .forEach(types::add);
        }
        return MethodType.methodType(
                switch (returns) {
                    case "void" -> void.class;
                    default -> javaClass(returns);
                },
                types);
    }

    /** The Java type of a C type, with or without a parameter's name behind it. */
    private static Class<?> javaClass(String declaration) {
        String c = declaration.startsWith("const ") ? declaration.substring("const ".length()) : declaration;
        if (c.startsWith("union ")
                || c.contains("*")
                || c.contains("_cb_t ")
                || c.contains("_comp_handler ")
                || c.contains("_callback")) {
            return MemorySegment.class;
        }
        if (c.startsWith("enum ") || c.startsWith("unsigned int")) {
            return int.class;
        }
        String type = c.split(" ")[0];
        return switch (type) {
            case "doca_error_t",
                    "doca_notification_handle_t",
                    "doca_dpa_dev_log_level_t",
                    "doca_dpa_dev_completion_type_t",
                    "doca_dpa_dev_mmap_t",
                    "int",
                    "uint32_t" -> int.class;
            case "size_t", "uint64_t" -> long.class;
            case "uint16_t" -> short.class;
            case "uint8_t" -> byte.class;
            default -> {
                if (type.startsWith("doca_dpa_dev_")) { // handles and addresses
                    yield long.class;
                }
                throw new AssertionError("a C type without a Java type: " + declaration);
            }
        };
    }
}
