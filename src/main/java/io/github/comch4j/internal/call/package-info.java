/**
 * Typed calls of DOCA's functions, a class for each header: the only package that knows the generated bindings
 * ({@code io.github.comch4j.ffi}, {@code io.github.comch4j.ffi.cc}).
 *
 * <p>Comch's own functions come in three generations, {@code doca_comch} and, in DOCA 2.5 and 2.6, {@code doca_cc}.
 * Which one this process has is decided once. Those of the same form are called by today's names, for which the
 * bindings find the older ones. DOCA 2.5 has some with other types: a method that calls one has both calls, and which
 * of them it makes is a constant to the compiler. Nothing above asks which it is.
 *
 * <p>A function of the bindings returns an {@link io.github.comch4j.internal.load.Answer}, which knows its name, and
 * explains itself where the libraries lack it. The hot ones of {@code src/main/jextract/hot.txt} have a second form,
 * {@code NAME$hot}, in which a pointer is a {@code long}, so that nothing is allocated per message; they return
 * {@code doca_error_t}.
 */
package io.github.comch4j.internal.call;
