package io.github.comch4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** The test, or all of a class, is left out where the loaded libraries lack one of these. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Condition.class)
public @interface Needs {
    /** How the reason begins for which a test is left out; scripts/dev/lib/counts.py knows it. */
    String LACK = "these libraries lack ";

    /** Everything that it cannot do without. */
    Feature[] value();

    /** Looks at the loaded libraries; for a method when what the test has opened will be closed. */
    final class Condition implements ExecutionCondition, BeforeTestExecutionCallback {
        private static List<Feature> lacking(ExtensionContext context) {
            return context.getElement()
                    .flatMap(element -> AnnotationSupport.findAnnotation(element, Needs.class))
                    .map(needs -> {
                        Machine.useEmulation();
                        return Stream.of(needs.value())
                                .filter(feature -> !feature.isThere())
                                .toList();
                    })
                    .orElse(List.of());
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            List<Feature> lacking = context.getTestMethod().isPresent() ? List.of() : lacking(context);
            return lacking.isEmpty()
                    ? ConditionEvaluationResult.enabled("all is there, or a method looks by itself")
                    : ConditionEvaluationResult.disabled(LACK + lacking);
        }

        @Override
        public void beforeTestExecution(ExtensionContext context) {
            List<Feature> lacking = lacking(context);
            if (!lacking.isEmpty()) {
                throw new TestAbortedException(LACK + lacking);
            }
        }
    }
}
