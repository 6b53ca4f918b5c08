/**
 * Programs to learn from: a file travels from a host to its DPU, and a DPU uses a host's memory as a block device.
 *
 * <p>{@link io.github.comch4j.samples.FileService} runs on the DPU, {@link io.github.comch4j.samples.FileClient} on the
 * host; {@code scripts/demo.sh} starts both on the emulated BlueField. They use the public API only, one thread each.
 * What they say to each other:
 *
 * <pre>
 *  client                                                    service
 *    hello  size of file and chunks, chunks in flight   --&gt;    maps memory, starts a consumer, posts its buffers
 *                                                       &lt;--    welcome
 *    chunk  with its number and offset                  ==&gt;    checks the order, writes to the file,
 *                                                              adds to the SHA-256
 *    chunk ...                                          ==&gt;
 *    end    number of chunks                            --&gt;
 *                                                       &lt;--    result  size, SHA-256, counters
 *    compares with its own, verdict                     --&gt;    keeps the file, or not
 * </pre>
 *
 * Single arrows are messages of the control path, double ones the fast path. The service may say {@code failure} with a
 * reason at any time; each side notices when the other one dies.
 *
 * <p>{@link io.github.comch4j.samples.BlockDeviceHost} exports the memory of a file,
 * {@link io.github.comch4j.samples.BlockDeviceDpu} reads, signs and writes its blocks by DMA:
 *
 * <pre>
 *  host                                                      DPU
 *    offer  size, descriptor of the memory              --&gt;    imports it, copies all blocks to its own memory,
 *                                                              signs them, copies them back
 *    compares with its memory                           &lt;--    SHA-256
 *    seen                                               --&gt;    ends
 * </pre>
 */
package io.github.comch4j.samples;
