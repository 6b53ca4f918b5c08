package io.github.comch4j.comch;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.core.Doca;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A contract that holds for the batched fast path and for the one without the native helper alike. */
@ParameterizedClass(name = "batched: {0}")
@ValueSource(booleans = {true, false})
public abstract class BothForms {
    @Parameter
    protected boolean batched;

    /** Before the test's fields are made, among them engines. */
    @BeforeParameterizedClassInvocation
    protected static void choose(boolean batched) {
        System.setProperty(Doca.BATCH_PROPERTY, Boolean.toString(batched));
    }

    @AfterParameterizedClassInvocation
    protected static void forget() {
        System.clearProperty(Doca.BATCH_PROPERTY);
    }

    @BeforeEach
    protected void itIsTheFormThatWasAskedFor() {
        Machine.useEmulation();
        assertThat(io.github.comch4j.internal.life.Forms.isBatched()).isEqualTo(batched);
    }
}
