package io.github.comch4j.internal.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.internal.load.NativeLibrary;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Places that connections leave to later ones. */
class MessagePlacesTest {
    private static final int CONNECTIONS = 1000;

    private final MessagePlaces places = new MessagePlaces();

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
        NativeLibrary.load();
    }

    @Test
    void connectionsHavePlacesOfTheirOwn() {
        Set<Long> taken = new HashSet<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            long place = places.take(i);
            assertThat(taken.add(place)).isTrue();
            assertThat(MessagePlaces.userData(place)).isEqualTo(i);
            assertThat(MessagePlaces.ended(place)).isZero();
        }
    }

    @Test
    void whatIsLeftIsUsedAgain() {
        Set<Long> taken = new HashSet<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            long place = places.take(i);
            taken.add(place);
            assertThat(MessagePlaces.ended(place)).isZero();
            MessagePlaces.count(place);
            places.leave(place, 1);
        }
        assertThat(taken).hasSizeLessThan(CONNECTIONS / 10);
    }

    @Test
    void itIsLeftAloneUntilItsMessagesHaveEnded() {
        List<Long> left = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            long place = places.take(i);
            assertThat(left).doesNotContain(place);
            left.add(place);
            MessagePlaces.count(place);
            places.leave(place, 2);
        }
        left.forEach(MessagePlaces::count);
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < 2 * CONNECTIONS; i++) {
            again.add(places.take(i));
        }
        assertThat(again).hasSize(2 * CONNECTIONS).containsAll(left);
    }

    @Test
    void itIsUsedByOneConnectionAtATime() {
        for (int i = 0; i < CONNECTIONS; i++) {
            places.leave(places.take(i), 0);
        }
        Set<Long> taken = new HashSet<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            assertThat(taken.add(places.take(i))).isTrue();
        }
    }
}
