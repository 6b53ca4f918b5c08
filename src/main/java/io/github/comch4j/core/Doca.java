package io.github.comch4j.core;

import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.internal.call.VersionCalls;
import io.github.comch4j.internal.load.LibrarySettings;
import io.github.comch4j.internal.load.NativeLibrary;

/**
 * The native DOCA libraries of this process.
 *
 * <p>The first use of any class of this library chooses the native libraries, once per process. The system property
 * {@value #LIBRARY_PROPERTY} determines the choice, or else the environment variable {@code COMCH4J_LIBRARY}:
 *
 * <ul>
 *   <li>{@code auto} (default): the DOCA SDK if one is installed, otherwise the emulated BlueField. One line at INFO,
 *       logger {@code io.github.comch4j}, reports the choice and its reason. An SDK without Comch counts as not
 *       installed, with a line at WARNING; for the other settings it is an error;
 *   <li>{@code system}: the DOCA SDK or runtime; production code should insist on this setting;
 *   <li>{@code emulated}: the emulated BlueField;
 *   <li>a folder: {@code libdoca_common.so} and {@code libdoca_comch.so} from there, also with version numbers after
 *       their names.
 * </ul>
 *
 * DOCA 2.5 and 2.6 have {@code libdoca_cc.so} instead of {@code libdoca_comch.so}, and fewer functions. This library
 * recognizes the generation by the exported functions, not by the name: {@link LibraryInfo#generation()}.
 *
 * The emulated libraries are unpacked from the jar into a private folder, which is removed as soon as they are loaded.
 * That folder is created in {@value #NATIVE_DIR_PROPERTY}, or else in {@code java.io.tmpdir}. If {@code java.io.tmpdir}
 * is read-only or mounted {@code noexec}, it is created in the folder that {@code DOCA_EMU_DIR} names.
 *
 * <p>A meaningless setting, such as {@code -Dcomch4j.batch=banana}, is not ignored: the first use throws a
 * {@link NativeLibraryException} that names the property.
 *
 * <p>Any thread may call these methods.
 */
public final class Doca {
    /** The system property that chooses the libraries. */
    public static final String LIBRARY_PROPERTY = LibrarySettings.LIBRARY_PROPERTY;
    /**
     * The system property that names the folder into which the emulated libraries are unpacked. The folder must exist,
     * be writable, and not be mounted {@code noexec}.
     */
    public static final String NATIVE_DIR_PROPERTY = LibrarySettings.NATIVE_DIR_PROPERTY;

    /**
     * A system property for tests. When {@code true}, a message segment that a program keeps after its callback throws
     * {@link IllegalStateException} at once, at the cost of one allocation per message. Otherwise such a segment shows
     * later messages until its server, client or consumer is closed.
     */
    public static final String STRICT_PROPERTY = LibrarySettings.STRICT_PROPERTY;

    /**
     * A system property for finding leaks. When {@code true}, slots of a pool record where they were acquired, and
     * engines, devices and inventories record where they were created, at the cost of one stack trace each.
     */
    public static final String DEBUG_PROPERTY = LibrarySettings.DEBUG_PROPERTY;

    /**
     * A system property that turns off the batch library; the library reads it when it creates a progress engine. The
     * batch library submits and completes many tasks of producers and consumers in one native call, and sends a message
     * of a server or client in one call. With {@code false}, each step is a call of its own. Only the speed of a
     * program differs. Default: {@code true}, if the jar contains the batch library.
     */
    public static final String BATCH_PROPERTY = LibrarySettings.BATCH_PROPERTY;

    private Doca() {}

    /**
     * Returns the libraries in use, and loads them if necessary.
     *
     * @return where they come from, their version, and why they were chosen
     * @throws NativeLibraryException if there are no libraries for this platform, if they are not where the setting
     *     says, if they cannot be loaded, or if they belong to no release with Comch; each further use fails in the
     *     same way
     */
    public static LibraryInfo library() {
        return NativeLibrary.info();
    }

    /**
     * Returns the version of the libraries in use ({@code doca_version_runtime}).
     *
     * @return for example {@code 3.0.0058}, or {@code unknown} if the release lacks the function
     * @throws NativeLibraryException as {@link #library()}
     */
    public static String runtimeVersion() {
        return NativeLibrary.info().version();
    }

    /**
     * Returns the version of DOCA whose headers this library was built from ({@code doca_version}).
     *
     * @return for example {@code 3.0.0058}; other releases work too, as far as they have the functions that the program
     *     uses
     */
    public static String buildVersion() {
        return VersionCalls.ofHeaders();
    }
}
