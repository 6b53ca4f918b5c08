/** What the project's own programs have in common: a command line, waiting for a peer, sizes as text. */
package io.github.comch4j.cli.program;
