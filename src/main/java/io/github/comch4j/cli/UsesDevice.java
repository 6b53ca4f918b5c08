package io.github.comch4j.cli;

/** A command that loads DOCA's libraries: with {@code -v} it says which. */
interface UsesDevice {}
