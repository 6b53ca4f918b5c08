package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.DocaError;
import io.github.comch4j.DocaException;
import io.github.comch4j.Machine;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A DPA with the program of the C tests. */
abstract class DpaScene {
    Machine machine;
    DpaApplication program;
    Dpa dpa;

    @BeforeEach
    void start() {
        machine = new Machine();
        program = Kernels.program();
        dpa = Dpa.builder(machine.host).application(program).start();
    }

    @AfterEach
    void end() {
        dpa.close();
        machine.close();
    }

    static void assertRefused(DocaError error, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        DocaException.class, e -> assertThat(e.error()).isEqualTo(error));
    }
}
