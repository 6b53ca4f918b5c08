/** The measurements of {@code comch perf}: what both ends do, and what comes of it. */
package io.github.comch4j.cli.perf;
