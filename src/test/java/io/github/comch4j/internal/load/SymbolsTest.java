package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import io.github.comch4j.NativeLibraryException.Reason;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
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
                    int ignored = (int) handle.invokeExact(1L, java.lang.foreign.MemorySegment.NULL);
                    assertThat(ignored).isZero();
                })
                .isInstanceOfSatisfying(MissingFunctionException.class, e -> {
                    assertThat(e.function()).isEqualTo("doca_comch_does_not_exist");
                    assertThat(e.reason()).isEqualTo(Reason.MISSING_FUNCTION);
                })
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
    void saysWhichReleaseHasAFunction() {
        assertThat(Releases.having("doca_comch_server_create")).contains("2.7");
        assertThat(Releases.having("doca_task_submit_ex")).contains("3.0").contains("2.5 has not");
        assertThat(Releases.having("doca_pe_create")).contains("3.0");
        assertThat(Releases.having("doca_devinfo_get_sf_index")).isEqualTo("DOCA has since 3.1");
        assertThat(Releases.having("doca_mmap_get_mkey")).isEqualTo("DOCA has since 3.2");
        assertThat(Releases.having("doca_dpa_dev_completion_element_get_timestamp"))
                .isEqualTo("DOCA has since 3.3");
        assertThat(Releases.having("doca_comch_server_get_device_rep"))
                .contains("2.8")
                .contains("doca_comch_server_get_device_repr");
        assertThat(Releases.having("doca_comch_consumer_completion_get_imm_data_len"))
                .contains("2.7 has not");
    }

    @Test
    void renamedFunctionsAreTheSameHereAndInTheOldLibraries() throws java.io.IOException {
        java.util.List<String> pairs = java.nio.file.Files.readAllLines(
                        java.nio.file.Path.of("src", "main", "c", "emulator", "releases", "renamed-2.7.txt"))
                .stream()
                .filter(line -> line.startsWith("doca_"))
                .toList();
        assertThat(pairs)
                .hasSize(4)
                .allSatisfy(pair ->
                        assertThat(Releases.formerNames(pair.split(" ")[1])).contains(pair.split(" ")[0]));
    }

    @Test
    void aFunctionHasTheNameOfTheLoadedRelease() {
        assertThat(Symbols.nameOf("doca_pe_create")).isEqualTo("doca_pe_create");
        assertThat(Symbols.nameOf("doca_comch_task_send_as_task"))
                .isEqualTo(NativeLibrary.isCc() ? "doca_cc_send_task_as_task" : "doca_comch_task_send_as_task");
        assertThat(Symbols.nameOf("doca_comch_does_not_exist")).isEqualTo("doca_comch_does_not_exist");
    }

    /** A handle has one form: a function is looked for by an older name only if that takes the same. */
    @Test
    void functionsWithOlderNamesTookTheSame() throws java.io.IOException {
        java.util.Map<String, String> today = forms("doca-3.0.tsv");
        java.util.Map<String, String> older = forms("doca-2.5.tsv");
        java.util.List<String> pairs = new java.util.ArrayList<>();
        today.forEach((name, form) -> Releases.formerNames(name)
                .filter(older::containsKey)
                .forEach(former -> {
                    pairs.add(former);
                    assertThat(older.get(former)).as(former).isEqualTo(form);
                }));
        assertThat(pairs).hasSize(12).allMatch(name -> name.startsWith("doca_cc_"));
    }

    /** The registers that a function takes and returns: names, constness and a pointer's type make no difference. */
    private static java.util.Map<String, String> forms(String table) throws java.io.IOException {
        java.util.Map<String, String> forms = new java.util.TreeMap<>();
        for (String line : java.nio.file.Files.readAllLines(java.nio.file.Path.of("src", "test", "abi", table))) {
            String[] row = line.split("\t");
            if (row[0].equals("function")) {
                forms.put(
                        row[2],
                        form(row[4] + " result")
                                + java.util.Arrays.stream(row[5].split(", "))
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
        return type.equals("int") ? "uint32_t" : type;
    }
}
