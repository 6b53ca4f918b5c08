package io.github.comch4j.cli;

/**
 * The program {@code comch}: tells what a machine has for Comch and what each device can do, times messages between a
 * host and its DPU, holds the conversations of the sample programs in DOCA's guides, also with these programs, and asks
 * a BlueField how it behaves.
 *
 * <p>Its exit status is 0, 1 after a failure, 2 after a usage error, or what {@code --help} of a command says.
 */
public final class Comch {
    private Comch() {}

    /**
     * The program; ends the VM.
     *
     * @param arguments a command and options, see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(status(arguments));
    }

    /** The program's exit status. */
    static int status(String... arguments) {
        return Tool.run(arguments);
    }
}
