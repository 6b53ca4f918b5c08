/**
 * Benchmarks, in two kinds.
 *
 * <p>{@link io.github.comch4j.bench.Bench} is a plain program with the same works, options and JSON lines as
 * {@code src/jmh/c}: one side sends, the other one receives and measures, in one thread, two threads or two processes.
 * JMH's groups would distort that: they count each thread's calls, of which here one side's are sends and the other
 * side's are polls, and they stop and start both at their own moments, so that what counts, messages that arrived
 * within a time, has no place in them. And C must be measured in the same way.
 *
 * <p>Everything that one thread does for itself, and heap allocation, is measured with JMH (the classes named
 * {@code …Benchmark}). All of it runs through {@code scripts/bench.sh}.
 */
package io.github.comch4j.bench;
