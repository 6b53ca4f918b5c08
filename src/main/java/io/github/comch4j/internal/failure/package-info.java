/**
 * Makes the exceptions that only the library makes. It stands right above their package, so that every other package
 * may throw them.
 */
package io.github.comch4j.internal.failure;
