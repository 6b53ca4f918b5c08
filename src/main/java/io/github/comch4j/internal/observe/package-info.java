/**
 * What can be seen of the library from outside: counters, events for the flight recorder, live objects, the logger. The
 * lowest package: it uses nothing of the library.
 */
package io.github.comch4j.internal.observe;
