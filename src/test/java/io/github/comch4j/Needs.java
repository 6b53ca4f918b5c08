package io.github.comch4j;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** The test, or all of a class, is left out where the loaded libraries lack one of these. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Needs.Condition.class)
public @interface Needs {
    /** How the reason begins for which a test is left out; scripts/dev/lib/counts.py knows it. */
    String LACK = "these libraries lack ";

    /** Everything that it cannot do without. */
    Feature[] value();

    /** Looks at the loaded libraries. */
    final class Condition extends LeftOut {
        @Override
        String lacking(ExtensionContext context) {
            List<Feature> lacking = context.getElement()
                    .flatMap(element -> AnnotationSupport.findAnnotation(element, Needs.class))
                    .map(needs -> {
                        Machine.useEmulation();
                        return Stream.of(needs.value())
                                .filter(feature -> !feature.isThere())
                                .toList();
                    })
                    .orElse(List.of());
            return lacking.isEmpty() ? "" : lacking.toString();
        }
    }
}
