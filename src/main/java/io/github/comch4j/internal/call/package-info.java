/**
 * Typed calls of DOCA's functions, a class for each header: the only package that knows the generated bindings
 * ({@code io.github.comch4j.ffi}, {@code io.github.comch4j.ffi.cc}).
 *
 * <p>Comch's own functions come in two generations, {@code doca_comch} and, in DOCA 2.5 and 2.6, {@code doca_cc}. Which
 * one this process has is decided once: the classes of Comch's headers are abstract and have a kind for each, of which
 * {@code get()} is the one that fits the loaded libraries, a constant to the compiler. Nothing above asks which it is.
 *
 * <p>Cold calls go through the bindings and throw what DOCA refuses. Hot ones have method handles of their own, in
 * which a pointer and a {@code union doca_data} are a {@code long}, so that nothing is allocated per message; they
 * return {@code doca_error_t}.
 */
package io.github.comch4j.internal.call;
