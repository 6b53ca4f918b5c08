/**
 * The command line tool {@code comch}, main class of the jar: {@link io.github.comch4j.cli.Comch} lists libraries,
 * devices and limits, and times messages between a host and its DPU.
 */
package io.github.comch4j.cli;
