/**
 * What the library's own programs have in common: a command line, patience with a peer, sizes in words.
 */
package io.github.comch4j.internal.program;
