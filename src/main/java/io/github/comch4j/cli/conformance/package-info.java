/**
 * {@code comch conformance}: probes that ask a device how it behaves where the emulated one has a reading of its own,
 * and a report that says what was seen.
 *
 * <p>Each of the two halves, one on the host and one on the DPU, is a process that runs the probes in a second process,
 * its worker: a probe may hang or crash, and some are about a peer that is killed. The two first processes speak over a
 * connection of Comch, each worker with its parent through its standard input and output.
 */
package io.github.comch4j.cli.conformance;
