/**
 * Finds, unpacks and loads the native libraries, and finds functions in them: by today's name or the one of an older
 * release, or with an exception that says which release has it. Also the names of the settings.
 */
package io.github.comch4j.internal.load;
