/**
 * The command line tool {@code comch}, in a jar of its own: {@link io.github.comch4j.cli.Comch} lists libraries,
 * devices and limits, times messages between a host and its DPU, plays either end of DOCA's sample programs, and asks a
 * BlueField how it behaves.
 */
package io.github.comch4j.cli;
