package io.github.comch4j.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.Machine;
import io.github.comch4j.internal.load.Symbols;
import java.io.IOException;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a native image must know of this library is what the bindings have, no more and no less. */
class NativeImageMetadataTest {
    private static final Path FILE = Path.of(
            "src",
            "main",
            "resources",
            "META-INF",
            "native-image",
            "io.github.comch4j",
            "comch4j",
            "reachability-metadata.json");
    private static final String UPDATE = "comch4j.update";

    @BeforeAll
    static void emulated() {
        Machine.useEmulation();
    }

    /** Of the library; the tool, which runs on a JVM, may link by itself. */
    private static List<String> sources() throws IOException {
        Path tool = Path.of("src", "main", "java", "io", "github", "comch4j", "cli");
        try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
            List<String> texts = new ArrayList<>();
            for (Path file : files.filter(path -> path.toString().endsWith(".java")
                            && !path.endsWith("Symbols.java")
                            && !path.startsWith(tool))
                    .toList()) {
                texts.add(Files.readString(file));
            }
            return texts;
        }
    }

    @Test
    void theFileHasEachShapeOfTheBindings() throws IOException {
        String needed = NativeImageMetadata.generate();
        if (Boolean.getBoolean(UPDATE)) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, needed);
        }
        List<String> missing = new ArrayList<>(needed.lines().toList());
        List<String> tooMuch = new ArrayList<>(Files.readString(FILE).lines().toList());
        missing.removeAll(Files.readString(FILE).lines().toList());
        tooMuch.removeAll(needed.lines().toList());
        assertThat(missing)
                .as("missing in %s: run this test with -D%s=true", FILE, UPDATE)
                .isEmpty();
        assertThat(tooMuch)
                .as("in %s, but used by nothing: run this test with -D%s=true", FILE, UPDATE)
                .isEmpty();
        assertThat(needed).isEqualTo(Files.readString(FILE));
    }

    @Test
    void itsTypesAreTheLayoutsOfTheBindings() {
        Map<String, MemoryLayout> canonical = Linker.nativeLinker().canonicalLayouts();
        Map<String, MemoryLayout> ours = Map.of(
                "void*",
                ValueLayout.ADDRESS,
                "jint",
                ValueLayout.JAVA_INT,
                "jlong",
                ValueLayout.JAVA_LONG,
                "jshort",
                ValueLayout.JAVA_SHORT,
                "jbyte",
                ValueLayout.JAVA_BYTE,
                "jboolean",
                ValueLayout.JAVA_BOOLEAN);
        Matcher types = Pattern.compile("(?<![\\w.])(j[a-z]+|void\\*)")
                .matcher(NativeImageMetadata.generate().replaceAll("(?s).*\"foreign\"", ""));
        Set<String> found = new TreeSet<>();
        while (types.find()) {
            found.add(types.group());
        }
        assertThat(found)
                .contains("jint", "jlong", "void*")
                .isSubsetOf(ours.keySet())
                .allSatisfy(name -> {
                    ValueLayout layout = (ValueLayout) canonical.get(name);
                    assertThat(layout.byteSize()).isEqualTo(ours.get(name).byteSize());
                    assertThat(layout.carrier()).isEqualTo(((ValueLayout) ours.get(name)).carrier());
                });
    }

    /** Else there would be shapes that the generator does not see. */
    @Test
    void onlySymbolsLinksAndOnlyForStaticFields() throws IOException {
        // with the line before it if that ends with "=", and a descriptor on the line after it
        Pattern use = Pattern.compile(
                "^(.* =\\R)?.*\\bSymbols\\.(downcall|standard)\\(.*(\\R\\s+FunctionDescriptor.*)?$", Pattern.MULTILINE);
        int uses = 0;
        for (String source : sources()) {
            assertThat(source).doesNotContain(".downcallHandle(").doesNotContain(".upcallStub(");
            for (Matcher matcher = use.matcher(source); matcher.find(); ) {
                uses++;
                boolean forField =
                        matcher.group().matches("\\s*(private )?static final MethodHandle \\w+ =\\s+Symbols\\.(?s:.*)");
                boolean inBatchDowncall =
                        matcher.group().matches("\\s*return LIBRARY == null \\? null : Symbols.downcall\\(.*");
                assertThat(forField || inBatchDowncall)
                        .as("for a static field: %s", matcher.group())
                        .isTrue();
            }
        }
        assertThat(uses).isGreaterThan(10);
    }

    @Test
    void itIsInTheClassPathWhereNativeImageLooks() throws IOException {
        String resource = "/META-INF/native-image/io.github.comch4j/comch4j/reachability-metadata.json";
        try (var in = Symbols.class.getResourceAsStream(resource)) {
            assertThat(in).isNotNull();
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("\"native/*/*.so\"", "stateChanged", "firstVariadicArg");
        }
    }
}
