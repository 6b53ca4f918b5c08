/**
 * How public classes open themselves to the library's other packages, and to no program. It uses nothing of the
 * library.
 */
package io.github.comch4j.internal.access;
