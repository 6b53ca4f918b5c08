package io.github.comch4j.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often a call that waits looks before it sleeps. */
class ReceiveSpinTest {
    private final ReceiveSpin spins = new ReceiveSpin();

    /** How many calls go to sleep at once before one looks again, which finds nothing. */
    private int sleepsUntilTry() {
        int sleeps = 0;
        int looks = spins.count();
        for (; looks == 0; looks = spins.count()) {
            spins.looked(looks, false);
            sleeps++;
        }
        while (looks > 0) { // a failed try is followed by shorter ones
            spins.looked(looks, false);
            looks = spins.count();
        }
        return sleeps;
    }

    @Test
    void whereNothingEverComesTriesBecomeRare() {
        sleepsUntilTry(); // the first looks at once
        int first = sleepsUntilTry();
        int second = sleepsUntilTry();
        assertThat(second).isGreaterThan(first);
        for (int i = 0; i < 20; i++) {
            second = sleepsUntilTry();
        }
        assertThat(second).isBetween(1000, 1024);
    }

    @Test
    void aTryThatFindsSomethingMakesAllCallsLook() {
        for (int i = 0; i < 20; i++) {
            sleepsUntilTry();
        }
        int looks;
        do {
            looks = spins.count();
            spins.looked(looks, looks > 0);
        } while (looks == 0);
        assertThat(spins.count()).isPositive();
        while (spins.count() > 0) {
            spins.looked(spins.count(), false);
        }
        assertThat(sleepsUntilTry()).isLessThan(64);
    }

    @Test
    void aTryIsAsLongAsACallLooksWhereMessagesCome() {
        ReceiveSpin busy = new ReceiveSpin();
        for (int i = 0; i < 20; i++) {
            busy.looked(busy.count(), true);
        }
        sleepsUntilTry();
        int looks;
        do {
            looks = spins.count(); // a peer that sleeps too takes long to answer
            spins.looked(looks, false);
        } while (looks == 0);
        assertThat(looks).isEqualTo(busy.count());
    }
}
