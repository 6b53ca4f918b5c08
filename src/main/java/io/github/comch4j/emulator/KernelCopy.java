package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;

/**
 * The source and the target of a copy, for {@link KernelMemory#copy} and {@link KernelContext#copyAndSend}.
 *
 * @param targetMap the handle of the target's memory map
 * @param target an address in that map
 * @param sourceMap the handle of the source's memory map
 * @param source an address in that map
 * @param bytes the number of bytes
 */
@Experimental("names and defaults may change until other projects have used it")
public record KernelCopy(int targetMap, long target, int sourceMap, long source, long bytes) {}
