package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.LibraryInfo.Generation;
import io.github.comch4j.NativeLibraryException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code NativeLoadingIT} has the same with libraries. */
class GenerationsTest {

    private static SymbolLookup exporting(Set<String> functions) {
        return name -> functions.contains(name) ? Optional.of(MemorySegment.ofAddress(1)) : Optional.empty();
    }

    @ParameterizedTest
    @CsvSource({"2.5, CC_2_5", "2.6, CC_2_6", "3.0, COMCH"})
    void whatAReleaseExportsTells(String release, Generation generation) throws IOException {
        Set<String> exported = Files.readAllLines(Path.of("src", "test", "abi", "doca-" + release + ".tsv")).stream()
                .map(line -> line.split("\t"))
                .filter(row -> row[0].equals("function"))
                .map(row -> row[2])
                .collect(Collectors.toSet());
        assertThat(Generations.of(exporting(exported))).contains(generation);
        assertThat(Generations.describe(generation)).contains(release.equals("3.0") ? "doca_comch" : "DOCA " + release);
    }

    @Test
    void ofSeveralTheNewestCounts() {
        assertThat(Generations.of(
                        exporting(Set.of("doca_cc_cap_is_consumer_supported", "doca_cc_consumer_cap_is_supported"))))
                .contains(Generation.CC_2_6);
    }

    @Test
    void whatNoReleaseExportsIsNone() {
        assertThat(Generations.of(exporting(Set.of("doca_cc_server_create")))).isEmpty();
        NativeLibraryException unknown = Generations.unknown(Path.of("/sdk/libdoca_cc.so"));
        assertThat(unknown)
                .hasMessageStartingWith("/sdk/libdoca_cc.so ")
                .hasMessageContaining("doca_comch_consumer_cap_is_supported (doca_comch of DOCA 2.7 or later)")
                .hasMessageContaining("doca_cc_consumer_cap_is_supported (doca_cc of DOCA 2.6)")
                .hasMessageContaining("doca_cc_cap_is_consumer_supported (doca_cc of DOCA 2.5)");
    }
}
