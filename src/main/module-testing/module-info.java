/**
 * Tests with JUnit, and with containers, of programs that use the module {@code io.github.comch4j}: that module knows
 * nothing of JUnit, so that programs of it may have their tests on the class path.
 */
module io.github.comch4j.testing {
    requires transitive io.github.comch4j;
    requires static org.jspecify; // not transitive: consumers without it could not be compiled
    requires static transitive org.junit.jupiter.api; // EmulatedContainers does without
    requires static org.junit.platform.commons;

    exports io.github.comch4j.testing;

    opens io.github.comch4j.testing to
            org.junit.platform.commons; // which makes the extension
}
