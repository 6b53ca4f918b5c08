package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class SymbolsTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @Test
    void aMissingFunctionIsAnErrorOnlyWhenItIsCalled() {
        MethodHandle handle = Symbols.downcall(
                "doca_comch_does_not_exist",
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
        assertThatThrownBy(() -> {
                    int ignored = (int) handle.invokeExact(1L, MemorySegment.NULL);
                    assertThat(ignored).isZero();
                })
                .isInstanceOfSatisfying(
                        MissingFunctionException.class,
                        e -> assertThat(e.function()).isEqualTo("doca_comch_does_not_exist"))
                .hasMessageContaining(NativeLibrary.describe())
                .hasMessageContaining("doca_comch_does_not_exist")
                .hasMessageContaining("2.7");
        MethodHandle nothing =
                Symbols.downcall("doca_task_submit_exx", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));
        assertThatThrownBy(() -> {
                    nothing.invokeExact(1L);
                })
                .isInstanceOf(MissingFunctionException.class);
    }

    @Test
    void argumentsOfAllSizesArrive() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(100);
            MemorySegment format = arena.allocateFrom("%d %d %hhu");
            assertThat(Symbols.call(
                            Symbols.standardFunction("snprintf"),
                            Symbols.address(text),
                            text.byteSize(),
                            Symbols.address(format),
                            -1,
                            2,
                            Byte.toUnsignedLong((byte) 200)))
                    .isPositive();
            assertThat(text.getString(0)).isEqualTo("-1 2 200");
        }
    }

    @Test
    void memoryOfACallHasToBeNativeAndThere() {
        MemorySegment closed;
        try (Arena arena = Arena.ofConfined()) {
            closed = arena.allocate(8);
            assertThat(Symbols.address(closed)).isEqualTo(closed.address());
        }
        assertThat(Symbols.address(MemorySegment.NULL)).isZero();
        assertThatThrownBy(() -> Symbols.address(closed)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Symbols.address(MemorySegment.ofArray(new byte[8])))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void saysWhichReleaseHasAFunction() {
        assertThat(Releases.having("doca_comch_server_create")).contains("since 2.7", "2.6 as doca_cc_server_create");
        assertThat(Releases.having("doca_cc_cap_is_consumer_supported")).startsWith("DOCA 2.5 has, where");
        assertThat(Releases.having("doca_cc_producer_task_send_alloc_init")).startsWith("DOCA 2.6 has, where");
        assertThat(Releases.having("doca_task_submit_ex")).isEqualTo("DOCA 3.0 has and 2.6 does not");
        assertThat(Releases.having("doca_devinfo_get_active_rate")).isEqualTo("DOCA has since 2.6");
        assertThat(Releases.having("doca_pe_create")).contains("3.0");
        assertThat(Releases.having("doca_devinfo_get_sf_index")).isEqualTo("DOCA has since 3.1");
        assertThat(Releases.having("doca_mmap_get_mkey")).isEqualTo("DOCA has since 3.2");
        assertThat(Releases.having("doca_dpa_dev_completion_element_get_timestamp"))
                .isEqualTo("DOCA has since 3.3");
        assertThat(Releases.having("doca_comch_server_get_device_rep"))
                .contains("2.8")
                .contains("doca_comch_server_get_device_repr");
        assertThat(Releases.having("doca_comch_consumer_completion_get_imm_data_len"))
                .contains("2.7 does not");
    }

    /** No release is said to have what its table lacks. */
    @Test
    void whatIsSaidOfReleasesAgreesWithTheirTables() throws IOException {
        Set<String> of25 = forms("doca-2.5.tsv").keySet();
        Set<String> of26 = forms("doca-2.6.tsv").keySet();
        Set<String> today = forms("doca-3.0.tsv").keySet();
        for (String function : today) {
            String having = Releases.having(function);
            if (function.startsWith("doca_comch_")) {
                if (!having.contains("2.8")) { // renamed in 2.8: the name before it is said, and that is enough
                    assertThat(having.contains(", and 2.6 as "))
                            .as(function)
                            .isEqualTo(of26.contains(function.replace("doca_comch_", "doca_cc_")));
                }
            } else {
                assertThat(having.contains("2.6 does not")).as(function).isEqualTo(!isOlder(function, of26));
                assertThat(having.equals("DOCA has since 2.6"))
                        .as(function)
                        .isEqualTo(of26.contains(function) && !of25.contains(function));
            }
        }
        for (Set<String> older : List.of(of25, of26)) {
            assertThat(older)
                    .filteredOn(function -> function.startsWith("doca_cc_"))
                    .hasSizeGreaterThan(60)
                    .allSatisfy(function -> {
                        boolean said = Releases.having(function).contains("2.6");
                        assertThat(said ? of26 : of25).contains(function);
                    });
        }
    }

    /** What the tables of older releases leave out is not said to be missing there. */
    private static boolean isOlder(String function, Set<String> table) {
        return table.contains(function) || function.startsWith("doca_dpa_");
    }

    @Test
    void renamedFunctionsAreTheSameHereAndInTheOldLibraries() throws IOException {
        List<String> pairs =
                Files.readAllLines(Path.of("src", "main", "c", "emulator", "releases", "renamed-2.7.txt")).stream()
                        .filter(line -> line.startsWith("doca_"))
                        .toList();
        assertThat(pairs)
                .hasSize(4)
                .allSatisfy(pair -> assertThat(Releases.formerName(pair.split(" ")[1], Generation.COMCH))
                        .contains(pair.split(" ")[0]));
    }

    @Test
    void aFunctionHasTheNameOfTheLoadedRelease() {
        assertThat(Symbols.nameOf("doca_pe_create")).isEqualTo("doca_pe_create");
        assertThat(Symbols.nameOf("doca_comch_task_send_as_task"))
                .isEqualTo(
                        switch (NativeLibrary.info().generation()) {
                            case CC_2_5 -> "doca_cc_send_task_as_task";
                            case CC_2_6 -> "doca_cc_task_send_as_task";
                            case COMCH -> "doca_comch_task_send_as_task";
                        });
        assertThat(Symbols.nameOf("doca_comch_does_not_exist")).isEqualTo("doca_comch_does_not_exist");
        assertThat(Symbols.has("doca_comch_server_create")).isTrue();
        assertThat(Symbols.has("doca_comch_does_not_exist")).isFalse();
    }

    /** A handle has one form: a function is looked for by an older name only if that takes the same. */
    @Test
    void functionsWithOlderNamesTookTheSame() throws IOException {
        assertThat(foundByOlderNames(Generation.CC_2_5, "doca-2.5.tsv"))
                .hasSize(55)
                .allMatch(name -> name.startsWith("doca_cc_"))
                .contains("doca_cc_send_task_as_task", "doca_cc_server_create");
        List<String> of26 = foundByOlderNames(Generation.CC_2_6, "doca-2.6.tsv");
        assertThat(of26).hasSize(69).allMatch(name -> name.startsWith("doca_cc_"));
        assertThat(forms("doca-2.6.tsv").keySet())
                .filteredOn(name -> name.startsWith("doca_cc_") && !of26.contains(name))
                .as("what is called otherwise")
                .containsExactly("doca_cc_producer_task_send_alloc_init");
    }

    private static List<String> foundByOlderNames(Generation generation, String table) throws IOException {
        Map<String, String> older = forms(table);
        List<String> found = new ArrayList<>();
        forms("doca-3.0.tsv").forEach((name, form) -> {
            if (!Releases.isComch(name)) {
                return;
            }
            Releases.formerName(name, generation).filter(older::containsKey).ifPresent(former -> {
                found.add(former);
                assertThat(older.get(former)).as(former).isEqualTo(form);
            });
        });
        return found;
    }

    /** The registers that a function takes and returns: names, constness and a pointer's type make no difference. */
    private static Map<String, String> forms(String table) throws IOException {
        Map<String, String> forms = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("src", "test", "abi", table))) {
            String[] row = line.split("\t");
            if (row[0].equals("function")) {
                forms.put(
                        row[2],
                        form(row[4] + " result")
                                + Arrays.stream(row[5].split(", "))
                                        .map(SymbolsTest::form)
                                        .toList());
            }
        }
        return forms;
    }

    private static String form(String declaration) {
        String c = declaration.replace("const ", "");
        if (c.contains("*") || c.contains("_cb_t") || c.contains("_handler")) {
            return "pointer";
        }
        String type = c.substring(0, Math.max(0, c.lastIndexOf(' ')));
        return type.equals("int") || type.startsWith("enum ") ? "uint32_t" : type;
    }
}
