package io.github.comch4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test, or a class of tests, of what an emulated machine does that is not strict ({@code docs/emulator.md}): it is
 * left out where {@code DOCA_EMU_STRICT} is 1.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsEasyMachine.Condition.class)
public @interface NeedsEasyMachine {
    /** The reading that it rests on. */
    String value();

    /** Looks at the environment. */
    final class Condition extends LeftOut {
        @Override
        String lacking(ExtensionContext context) {
            return "1".equals(System.getenv("DOCA_EMU_STRICT")) ? "an easy machine" : "";
        }
    }
}
