/**
 * What can be seen of the library from outside: counters, events for the flight recorder, live objects, the logger. It
 * uses nothing of the library.
 */
package io.github.comch4j.internal.observe;
