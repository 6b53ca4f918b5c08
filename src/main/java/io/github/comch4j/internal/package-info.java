/**
 * Native access: loading, method handles, upcall stubs, and the life of objects that own native handles. Not an API.
 *
 * <p>The only package with {@link java.lang.invoke.MethodHandle}s and raw addresses. The rules it follows:
 * <ul>
 *   <li>Cold calls go through the generated bindings, wrapped by {@link io.github.comch4j.internal.Calls}; hot ones through the handles of the
 *       {@code …Calls} classes, in which a pointer and a {@code union doca_data} are a {@code long}, so that nothing is allocated per message.</li>
 *   <li>There is one upcall stub per C signature, for the life of the process. What an upcall concerns is found through user data: a context's
 *       and a connection's user data are keys in a {@link io.github.comch4j.internal.Registry}, a task's is a number of its owner. Where the native helper is in
 *       between ({@link io.github.comch4j.internal.Lane}, {@link io.github.comch4j.internal.Messages}), a context's is the address of what the two share.</li>
 *   <li>No exception leaves an upcall: {@link io.github.comch4j.internal.Engine} keeps it, and the downcall's caller rethrows it.</li>
 *   <li>Every object with a native handle is a {@link io.github.comch4j.internal.Resource}: closing one closes what depends on it first.</li>
 * </ul>
 */
package io.github.comch4j.internal;
