/**
 * Typed calls of DOCA's functions, a class for each header: the only package that knows the generated bindings
 * ({@code io.github.comch4j.ffi}, {@code io.github.comch4j.ffi.cc}).
 *
 * <p>Comch's own functions come in three generations, {@code doca_comch} and, in DOCA 2.5 and 2.6, {@code doca_cc}.
 * Which one this process has is decided once. Those of the same form are called by today's names, for which the
 * bindings find the older ones. DOCA 2.5 has some with other types: a method that calls one has both calls, and which
 * of them it makes is a constant to the compiler. Nothing above asks which it is.
 *
 * <p>A binding fails for good, and without an explanation, if it does not find its function: before each call,
 * {@link DocaFunction#present} asks. What is called for each message has a handle beside its caller, in which a pointer
 * is a {@code long}, so that nothing is allocated; such a handle explains itself where the libraries lack the function.
 */
package io.github.comch4j.internal.call;
