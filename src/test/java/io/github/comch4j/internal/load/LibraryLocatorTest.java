package io.github.comch4j.internal.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.comch4j.LibraryInfo.Kind;
import io.github.comch4j.NativeLibraryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LibraryLocatorTest {
    @TempDir
    Path root;

    private Path sdk;
    private Path other;
    private LibraryLocator locator;

    @BeforeEach
    void folders() throws IOException {
        sdk = Files.createDirectory(root.resolve("sdk"));
        other = Files.createDirectory(root.resolve("other"));
        locator = new LibraryLocator(List.of(root.resolve("missing"), sdk, other));
    }

    private static void touch(Path folder, String... names) throws IOException {
        for (String name : names) {
            Files.createFile(folder.resolve(name));
        }
    }

    @Test
    void autoTakesTheSdkWhenItIsInstalled() throws IOException {
        touch(other, "libdoca_common.so", "libdoca_comch.so");
        LibraryLocator.Choice choice = locator.choose("auto", "default");
        assertThat(choice.kind()).isEqualTo(Kind.SYSTEM);
        assertThat(choice.files().orElseThrow().folder()).isEqualTo(other);
        assertThat(choice.reason()).contains(other.toString());
    }

    @Test
    void autoTakesTheEmulatedDeviceOtherwise() throws IOException {
        touch(sdk, "libdoca_common.so"); // half an SDK is none
        touch(other, "libdoca_comch.so");
        LibraryLocator.Choice choice = locator.choose("auto", "default");
        assertThat(choice.kind()).isEqualTo(Kind.EMULATED);
        assertThat(choice.files()).isEmpty();
    }

    @Test
    void docaCcIsTakenWhereThereIsNoComch() throws IOException {
        touch(sdk, "libdoca_common.so.2.5.0", "libdoca_cc.so.2", "libdoca_cc.so.2.5.0");
        LibraryLocator.Choice choice = locator.choose("auto", "default");
        assertThat(choice.kind()).isEqualTo(Kind.SYSTEM);
        assertThat(choice.warning()).isEmpty();
        LibraryLocator.Pair pair = choice.files().orElseThrow();
        assertThat(pair.common()).isEqualTo(sdk.resolve("libdoca_common.so.2.5.0"));
        assertThat(pair.comch()).isEqualTo(sdk.resolve("libdoca_cc.so.2.5.0"));
        assertThat(locator.choose("system", "x").files()).contains(pair);
        assertThat(locator.choose(sdk.toString(), "x").files()).contains(pair);
        touch(sdk, "libdoca_comch.so.2");
        LibraryLocator.Pair newer = locator.choose("auto", "default").files().orElseThrow();
        assertThat(newer.comch()).isEqualTo(sdk.resolve("libdoca_comch.so.2"));
    }

    @Test
    void filesOfTwoGenerationsInTwoFoldersAreNotMixed() throws IOException {
        touch(sdk, "libdoca_cc.so");
        touch(other, "libdoca_common.so", "libdoca_comch.so");
        LibraryLocator.Pair pair = locator.choose("auto", "default").files().orElseThrow();
        assertThat(pair.folder()).isEqualTo(other);
    }

    @Test
    void anSdkWithoutComchIsNotPassedOverInSilence() throws IOException {
        touch(other, "libdoca_common.so.2.5.0");
        String words =
                other + " holds libdoca_common.so.2.5.0 but neither libdoca_comch.so nor libdoca_cc.so: this is DOCA"
                        + " without Comch";
        LibraryLocator.Choice choice = locator.choose("auto", "default");
        assertThat(choice.kind()).isEqualTo(Kind.EMULATED);
        assertThat(choice.reason()).contains("has no Comch");
        assertThat(choice.warning().orElseThrow()).startsWith(words).contains("doca-sdk-comch");
        assertThatThrownBy(() -> locator.choose("system", "x"))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(words);
        assertThatThrownBy(() -> locator.choose(other.toString(), "x"))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(words);
        touch(sdk, "libdoca_common.so", "libdoca_comch.so");
        assertThat(locator.choose("auto", "default").warning())
                .as("another folder has all")
                .isEmpty();
    }

    @Test
    void emulatedDoesNotLookForTheSdk() throws IOException {
        touch(sdk, "libdoca_common.so", "libdoca_comch.so");
        assertThat(locator.choose("emulated", "system property x").kind()).isEqualTo(Kind.EMULATED);
    }

    @Test
    void findsTheHighestVersionWhereOnlyVersionedNamesAreInstalled() throws IOException {
        touch(
                sdk,
                "libdoca_common.so.2",
                "libdoca_common.so.2.9.1",
                "libdoca_common.so.2.10.0",
                "libdoca_common.so.old",
                "libdoca_comch.so.2");
        LibraryLocator.Pair pair =
                locator.choose("system", "system property x").files().orElseThrow();
        assertThat(pair.common()).isEqualTo(sdk.resolve("libdoca_common.so.2.10.0"));
        assertThat(pair.comch()).isEqualTo(sdk.resolve("libdoca_comch.so.2"));
    }

    @Test
    void prefersTheUnversionedName() throws IOException {
        touch(sdk, "libdoca_common.so", "libdoca_common.so.3", "libdoca_comch.so", "libdoca_comch.so.3");
        assertThat(locator.choose("system", "x").files().orElseThrow().common())
                .isEqualTo(sdk.resolve("libdoca_common.so"));
    }

    @Test
    void systemWithoutAnSdkNamesTheFoldersThatWereSearched() {
        assertThatThrownBy(() -> locator.choose("system", "x"))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining(sdk.toString())
                .hasMessageContaining(other.toString())
                .hasMessageContaining("libdoca_comch.so or libdoca_cc.so");
    }

    @Test
    void takesANamedFolder() throws IOException {
        Path named = Files.createDirectory(root.resolve("named"));
        touch(named, "libdoca_common.so", "libdoca_comch.so");
        LibraryLocator.Choice choice = locator.choose(named.toString(), "environment variable Y");
        assertThat(choice.kind()).isEqualTo(Kind.FOLDER);
        assertThat(choice.files().orElseThrow().comch()).isEqualTo(named.resolve("libdoca_comch.so"));
        assertThat(choice.reason()).contains("environment variable Y");
    }

    @Test
    void aNamedFolderWithoutTheLibrariesIsAnError() {
        assertThatThrownBy(() -> locator.choose(sdk.toString(), "environment variable Y"))
                .isInstanceOf(NativeLibraryException.class)
                .hasMessageContaining("environment variable Y")
                .hasMessageContaining(sdk.toString());
    }

    @Test
    void aMisspeltWordIsNotTakenForAFolder() {
        assertThatThrownBy(() -> locator.choose("sytem", "x"))
                .hasMessageContaining("'sytem'")
                .hasMessageContaining("auto, system, emulated");
    }

    @Test
    void looksInTheLoadersPathFirst() throws IOException {
        touch(sdk, "libdoca_common.so", "libdoca_comch.so");
        LibraryLocator real =
                LibraryLocator.forSystem("x86_64", java.util.Map.of("LD_LIBRARY_PATH", "relative:" + sdk));
        assertThat(real.choose("system", "x").files().orElseThrow().folder()).isEqualTo(sdk);
    }

    /** What they name would depend on the folder in which a program is started. */
    @Test
    void relativeEntriesOfTheLoadersPathAreNotLookedIn() throws IOException {
        touch(sdk, "libdoca_common.so", "libdoca_comch.so");
        Path relative = Path.of("").toAbsolutePath().relativize(sdk.toRealPath());
        assertThat(relative.resolve("libdoca_common.so")).exists();
        LibraryLocator real =
                LibraryLocator.forSystem("x86_64", java.util.Map.of("LD_LIBRARY_PATH", relative + ":./" + relative));
        assertThat(real.choose("auto", "x").files().map(pair -> pair.folder().normalize()))
                .isNotEqualTo(Optional.of(relative));
    }
}
