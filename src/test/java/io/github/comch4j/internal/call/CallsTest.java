package io.github.comch4j.internal.call;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.Machine;
import io.github.comch4j.MissingFunctionException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class CallsTest {

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    @Test
    void aMissingFunctionOfTheGeneratedBindingsIsExplained() {
        assertThatThrownBy(() -> Calls.code("doca_not_there", () -> {
                    throw new UnsatisfiedLinkError("unresolved symbol: doca_not_there");
                }))
                .isInstanceOf(MissingFunctionException.class)
                .hasMessageContaining("doca_not_there");
        assertThatThrownBy(() -> Calls.code("doca_pe_create", () -> {
                    throw new UnsatisfiedLinkError("something else");
                }))
                .isInstanceOf(UnsatisfiedLinkError.class)
                .hasMessage("something else");
    }
}
