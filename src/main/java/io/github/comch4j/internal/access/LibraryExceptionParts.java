package io.github.comch4j.internal.access;

/**
 * What a {@code NativeLibraryException} is made of.
 *
 * @param function the function that is missing, or null
 * @param message the sentence for the user, with the remedy
 * @param cause what the system said, or null
 */
public record LibraryExceptionParts(String function, String message, Throwable cause) {}
