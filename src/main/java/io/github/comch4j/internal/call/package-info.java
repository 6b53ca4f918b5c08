/**
 * Typed calls of DOCA's functions, a class for each header: the only package that knows the generated bindings
 * ({@code io.github.comch4j.ffi}).
 *
 * <p>Cold calls go through the bindings and throw what DOCA refuses. Hot ones have method handles of their own, in
 * which a pointer and a {@code union doca_data} are a {@code long}, so that nothing is allocated per message; they
 * return {@code doca_error_t}.
 */
package io.github.comch4j.internal.call;
