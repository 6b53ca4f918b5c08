/**
 * The life of objects that own native handles: engines with their threads, contexts from start to idle, and the tree in
 * which an owner that is closed closes its dependents first, in DOCA's order.
 */
package io.github.comch4j.internal.life;
