package io.github.comch4j.internal.access;

/**
 * What a {@code NativeLibraryException} is made of.
 *
 * @param reason why the libraries cannot be used
 * @param function the function that is missing, or null
 * @param message the sentence for the user, with the remedy
 * @param cause what the system said, or null
 * @param <R> the type of reasons
 */
public record LibraryExceptionParts<R>(R reason, String function, String message, Throwable cause) {}
