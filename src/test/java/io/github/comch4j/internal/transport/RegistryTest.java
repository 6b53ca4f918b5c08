package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegistryTest {
    private final Registry<String> registry = new Registry<>();

    @Test
    void findsWhatWasAdded() {
        long one = registry.add("one");
        long two = registry.add("two");
        assertThat(registry.find(one)).isEqualTo("one");
        assertThat(registry.find(two)).isEqualTo("two");
    }

    @Test
    void zeroAndNonsenseFindNothing() {
        registry.add("one");
        assertThat(registry.find(0)).isNull();
        assertThat(registry.find(-1)).isNull();
        assertThat(registry.find(Long.MAX_VALUE)).isNull();
        assertThat(registry.find(1)).isNull();
    }

    @Test
    void aKeyThatOutlivedItsObjectDoesNotFindTheNextOne() {
        long old = registry.add("old");
        registry.remove(old);
        long next = registry.add("next");
        assertThat(registry.find(old)).isNull();
        assertThat(registry.find(next)).isEqualTo("next");
        registry.remove(old);
        assertThat(registry.find(next)).isEqualTo("next");
    }

    @Test
    void growsAndKeepsKeysApart() {
        Set<Long> keys = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            keys.add(registry.add("item " + i));
        }
        assertThat(keys)
                .hasSize(1000)
                .doesNotContain(0L)
                .allSatisfy(key -> assertThat(registry.find(key)).startsWith("item "));
    }

    @Test
    void countsWhatIsThere() {
        assertThat(registry.size()).isZero();
        long one = registry.add("one");
        registry.add("two");
        assertThat(registry.size()).isEqualTo(2);
        registry.remove(one);
        assertThat(registry.size()).isEqualTo(1);
    }
}
