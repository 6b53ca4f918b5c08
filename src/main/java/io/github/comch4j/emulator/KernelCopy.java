package io.github.comch4j.emulator;

import io.github.comch4j.Experimental;

/**
 * What a kernel copies: {@link KernelMemory#copy}, {@link KernelContext#copyAndSend}.
 *
 * @param targetMap the handle of a memory map
 * @param target an address in it
 * @param sourceMap the handle of a memory map
 * @param source an address in it
 * @param bytes how many
 */
@Experimental("names and defaults may change until other projects have used it")
public record KernelCopy(int targetMap, long target, int sourceMap, long source, long bytes) {}
