package io.github.comch4j;

import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.opentest4j.TestAbortedException;

/** Leaves out a class before its tests, and a method when what its test has opened will be closed. */
abstract class LeftOut implements ExecutionCondition, BeforeTestExecutionCallback {
    /** What is lacking for this test or class, as it is told; empty: nothing. */
    abstract String lacking(ExtensionContext context);

    @Override
    public final ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        String lacking = context.getTestMethod().isPresent() ? "" : lacking(context);
        return lacking.isEmpty()
                ? ConditionEvaluationResult.enabled("all is there, or a method looks by itself")
                : ConditionEvaluationResult.disabled(Needs.LACK + lacking);
    }

    @Override
    public final void beforeTestExecution(ExtensionContext context) {
        String lacking = lacking(context);
        if (!lacking.isEmpty()) {
            throw new TestAbortedException(Needs.LACK + lacking);
        }
    }
}
