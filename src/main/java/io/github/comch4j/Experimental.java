package io.github.comch4j;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an API that works and is tested, but may change in any release without the notice that the rest of the API
 * gets. All public types and methods without this annotation stay as they are within a major version.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface Experimental {
    /**
     * Returns why the API is experimental.
     *
     * @return what is not known yet, and what would make the API stable
     */
    String value();
}
