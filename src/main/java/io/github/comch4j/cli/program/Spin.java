package io.github.comch4j.cli.program;

/**
 * Both ends poll. Where there are fewer processors than things to do, a thread that waits in vain for a while lets
 * others run: the other end, perhaps.
 */
public final class Spin {
    /** How many times more a round trip looks in one call. */
    public static final int LOOKS = 64;

    private static final int TURNS_IN_VAIN = 2000;

    private int inVain;

    /** One turn of the thread is over; {@code moved}: it has found something to do. */
    public void turned(boolean moved) {
        if (moved) {
            inVain = 0;
        } else if (++inVain == TURNS_IN_VAIN) {
            inVain = 0;
            Thread.yield();
        }
    }
}
