package io.github.comch4j;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * What works and is tested, but may change in any release, without the notice that the rest of the API is given. All
 * public types and methods without it stay as they are within a major version.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.PACKAGE, ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR})
public @interface Experimental {
    /**
     * Why.
     *
     * @return what is not known yet, and what would make it stable
     */
    String value();
}
