/**
 * How tasks get to DOCA and how events come back: {@link io.github.comch4j.internal.transport.Transport} in two forms,
 * batched and plain, and the upcall stubs.
 *
 * <p>There is one upcall stub for each C signature, for the life of the process. What an upcall concerns is found
 * through user data: a context's and a connection's are keys in a
 * {@link io.github.comch4j.internal.transport.Registry}, a task's is its slot. Where the batch library is in between, a
 * context's is the address of what it shares with Java. No exception leaves an upcall: the transport keeps it, and the
 * caller of the downcall rethrows it.
 */
package io.github.comch4j.internal.transport;
