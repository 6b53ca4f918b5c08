package io.github.comch4j.core;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.call.VersionCalls;
import io.github.comch4j.internal.load.LibrarySettings;
import io.github.comch4j.internal.load.NativeLibrary;

/**
 * The native DOCA libraries of this process.
 *
 * <p>They are chosen once, at the first use of any class of this library, by the system property
 * {@value #LIBRARY_PROPERTY} or else the environment variable {@code COMCH4J_LIBRARY}:
 *
 * <ul>
 *   <li>{@code auto} (default): the DOCA SDK when one is installed, otherwise the emulated BlueField; one line at INFO,
 *       logger {@code io.github.comch4j}, says which and why. An SDK without Comch counts as none, with a line at
 *       WARNING; for the other settings it is an error;
 *   <li>{@code system}: the DOCA SDK or runtime; what production code insists on;
 *   <li>{@code emulated}: the emulated BlueField;
 *   <li>a folder: {@code libdoca_common.so} and {@code libdoca_comch.so} from there, also with version numbers after
 *       their names.
 * </ul>
 *
 * DOCA 2.5 and 2.6 have {@code libdoca_cc.so} in place of the latter, and some things less. What the library
 * exports, and not its name, tells which it is: {@link LibraryInfo#generation()}.
 *
 * The emulated libraries are unpacked from the jar into a private folder that is removed as soon as they are loaded; it
 * is made in {@value #NATIVE_DIR_PROPERTY}, or else in {@code java.io.tmpdir} or, where that is read-only or mounted
 * {@code noexec}, in the folder that {@code DOCA_EMU_DIR} names.
 *
 * <p>A setting that means nothing, such as {@code -Dcomch4j.batch=banana}, is an error of the first use, with the
 * reason {@link NativeLibraryException.Reason#INVALID_SETTING}: it is not ignored.
 *
 * <p>All methods may be called from any thread.
 */
public final class Doca {
    /** System property that chooses the libraries. */
    public static final String LIBRARY_PROPERTY = LibrarySettings.LIBRARY_PROPERTY;
    /**
     * System property: an existing folder, writable and not mounted {@code noexec}, to unpack the emulated libraries
     * in.
     */
    public static final String NATIVE_DIR_PROPERTY = LibrarySettings.NATIVE_DIR_PROPERTY;

    /**
     * System property for tests: when {@code true}, a message segment that a program keeps after its callback throws
     * {@link IllegalStateException} at once, at the price of an allocation per message. Otherwise it shows later
     * messages until its server, client or consumer is closed.
     */
    public static final String STRICT_PROPERTY = LibrarySettings.STRICT_PROPERTY;

    /**
     * System property for those who look for leaks: when {@code true}, a pool's slots remember where they were
     * acquired, and engines, devices and inventories where they were made, at the price of a stack trace for each.
     */
    public static final String DEBUG_PROPERTY = LibrarySettings.DEBUG_PROPERTY;

    /**
     * System property, read when a progress engine is made: {@code false} does without the batch library that submits
     * and completes many tasks of producers and consumers in one native call, and sends a message of a server or client
     * with one; each step is a call then. Programs see no difference but speed. Default: {@code true}, where the jar
     * has the batch library.
     */
    public static final String BATCH_PROPERTY = LibrarySettings.BATCH_PROPERTY;

    private Doca() {}

    /**
     * The libraries in use; loads them if nothing did so yet.
     *
     * @return where they come from, their version, and why these
     * @throws NativeLibraryException if there are none for this platform, none where they were looked for, they cannot
     *     be loaded, or they are of no release with Comch; each further use fails in the same way
     */
    public static LibraryInfo library() {
        return NativeLibrary.info();
    }

    /**
     * The version of the libraries in use ({@code doca_version_runtime}).
     *
     * @return for example {@code 3.0.0058}, or {@code unknown} where the release lacks the function
     * @throws NativeLibraryException as {@link #library()}
     */
    public static String runtimeVersion() {
        return NativeLibrary.info().version();
    }

    /**
     * The version of DOCA whose headers this library was built from ({@code doca_version}).
     *
     * @return for example {@code 3.0.0058}; other releases work too, as far as they have the functions that are called
     */
    public static String buildVersion() {
        return VersionCalls.ofHeaders();
    }
}
