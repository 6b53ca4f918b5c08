package io.github.comch4j.internal.access;

/**
 * What a {@code DocaException} is made of.
 *
 * @param code the number of {@code doca_error_t}
 * @param function the DOCA function that returned it, or whose work failed later
 * @param action what was being done, as the continuation of "while …"
 * @param message the whole message; null for the usual one
 * @param reason what is known of the cause, or empty; null: what the libraries have to say now, in this thread
 */
public record DocaExceptionParts(int code, String function, String action, String message, String reason) {}
