package io.github.comch4j.cli.copy;

/** Why one thing is not copied; the next one may be. */
final class CopyRefusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CopyRefusal(String why) {
        super(why, null, false, false);
    }
}
