package io.github.comch4j.internal.life;

import io.github.comch4j.internal.call.ThreadUsage;

/**
 * Whether threads that compute want the processor of this one, which its yields show: one to nobody takes a
 * microsecond, one to such a thread takes until its turn is over. A loop that spins or yields then keeps from running
 * what it waits for, and gets its own turn last; one that sleeps gets it when it is woken.
 */
final class ProcessorContention {
    /**
     * A yield to a thread that computes takes at least so long, in nanoseconds: Linux gives turns of 0.7 ms and more.
     * One to a thread that soon waits for this one is shorter.
     */
    static final long LONG_YIELD = 500_000;
    /** After such a yield they are taken to be there for so long; each further one doubles it. */
    static final long FIRST_SPELL = 10_000_000;

    static final long LONGEST_SPELL = 200_000_000;

    private boolean crowded;
    private long end; // by System.nanoTime()
    private long spell;

    /** Whether the thread had better sleep. */
    boolean isCrowded() {
        return crowded && isCrowded(System.nanoTime());
    }

    boolean isCrowded(long now) {
        if (now - end >= 0) {
            crowded = false; // the next yield tries again
        }
        return crowded;
    }

    /** Lets others run. */
    void giveWay() {
        long switches = ThreadUsage.involuntarySwitches();
        long begun = System.nanoTime();
        Thread.yield();
        long ended = System.nanoTime();
        yielded(begun, ended, ended - begun >= LONG_YIELD && ThreadUsage.involuntarySwitches() != switches);
    }

    /** {@code switched}: another thread has run on this one's processor meanwhile. */
    void yielded(long begun, long ended, boolean switched) {
        if (ended - begun < LONG_YIELD) {
            spell = 0;
            return;
        }
        if (!switched) {
            return; // a hypervisor has run something else
        }
        spell = spell == 0 ? FIRST_SPELL : Math.min(2 * spell, LONGEST_SPELL);
        crowded = true;
        end = ended + spell;
    }
}
