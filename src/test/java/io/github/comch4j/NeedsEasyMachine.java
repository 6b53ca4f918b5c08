package io.github.comch4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

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

    /** Looks at the environment; for a method when what the test has opened will be closed. */
    final class Condition implements ExecutionCondition, BeforeTestExecutionCallback {
        private static final String REASON = Needs.LACK + "an easy machine";

        private static boolean isStrict() {
            return "1".equals(System.getenv("DOCA_EMU_STRICT"));
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            return isStrict() && context.getTestMethod().isEmpty()
                    ? ConditionEvaluationResult.disabled(REASON)
                    : ConditionEvaluationResult.enabled("the machine is easy, or a method looks by itself");
        }

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            if (isStrict()) {
                throw new TestAbortedException(REASON);
            }
        }
    }
}
