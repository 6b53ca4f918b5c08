package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.ffi.doca_h;
import io.github.comch4j.internal.failure.Failures;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DocaErrorTest {

    @Test
    void hasExactlyTheConstantsOfTheBindings() throws ReflectiveOperationException {
        Map<String, Integer> generated = new TreeMap<>();
        for (Method method : doca_h.class.getMethods()) {
            if (method.getName().matches("DOCA_SUCCESS|DOCA_ERROR_.*")) {
                generated.put(method.getName().replaceFirst("DOCA_(ERROR_)?", ""), (int) method.invoke(null));
            }
        }
        Map<String, Integer> ours = new TreeMap<>();
        Arrays.stream(DocaError.values())
                .filter(error -> error != DocaError.UNRECOGNIZED)
                .forEach(error -> ours.put(error.name(), error.code()));
        assertThat(ours).isEqualTo(generated).hasSize(31);
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsNumber(DocaError error) {
        assertThat(DocaError.of(error.code())).isSameAs(error);
        assertThat(error.description()).isNotBlank();
    }

    @Test
    void anUnknownNumberIsKeptByTheException() {
        DocaException exception = Failures.refused(4711, "doca_some_call", "trying something");
        assertThat(exception.error()).isEqualTo(DocaError.UNRECOGNIZED);
        assertThat(exception.code()).isEqualTo(4711);
        assertThat(exception)
                .hasMessageContaining("doca_some_call: error 4711")
                .hasMessageContaining("while trying something");
    }

    @Test
    void theExceptionSaysWhatWasRefused() {
        DocaException exception = Failures.refused(DocaError.IN_USE, "doca_pe_destroy", "closing");
        assertThat(exception.function()).isEqualTo("doca_pe_destroy");
        assertThat(exception.action()).isEqualTo("closing");
        assertThat(exception).hasMessage("doca_pe_destroy: IN_USE (still in use) while closing");
    }
}
