package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.comch4j.comch.ComchConnection;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.comch.ReceiveHandler;
import io.github.comch4j.core.BufferPool;
import io.github.comch4j.core.Doca;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Users see neither generated types nor internals nor method handles. */
class PublicApiTest {
    private static final Path SOURCES = Path.of("src", "main", "java");

    private static final Pattern EXPORTS = Pattern.compile("\\s*exports (\\S+);");
    private static final Set<String> EXPORTED = exported();

    static List<Class<?>> publicClasses() throws IOException {
        List<Class<?>> classes = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES.resolve(Path.of("io", "github", "comch4j")))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String name =
                        SOURCES.relativize(file).toString().replace('/', '.').replaceFirst("\\.java$", "");
                if (!isExported(name) || name.endsWith("package-info")) {
                    continue;
                }
                try {
                    collect(Class.forName(name, false, PublicApiTest.class.getClassLoader()), classes);
                } catch (ClassNotFoundException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return classes;
    }

    private static boolean isExported(String type) {
        return EXPORTED.contains(type.substring(0, type.lastIndexOf('.')));
    }

    /** The packages that the modules export. */
    private static Set<String> exported() {
        Set<String> packages = new HashSet<>();
        for (String module : List.of("module", "module-testing")) {
            Path file = Path.of("src", "main", module, "module-info.java");
            try (Stream<String> lines = Files.lines(file)) {
                lines.map(EXPORTS::matcher).filter(Matcher::matches).forEach(line -> packages.add(line.group(1)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return packages;
    }

    private static void collect(Class<?> type, List<Class<?>> classes) {
        if (Modifier.isPublic(type.getModifiers())) {
            classes.add(type);
            for (Class<?> nested : type.getDeclaredClasses()) {
                collect(nested, classes);
            }
        }
    }

    @Test
    void signaturesHoldPublicTypesOnly() throws IOException {
        List<Class<?>> classes = publicClasses();
        assertThat(classes)
                .contains(
                        Doca.class,
                        io.github.comch4j.comch.ComchProducer.Builder.class,
                        io.github.comch4j.core.Buffer.class);
        List<String> offences = new ArrayList<>();
        for (Class<?> type : classes) {
            check(type + " extends", type.getSuperclass(), offences);
            Arrays.stream(type.getInterfaces()).forEach(parent -> check(type + " implements", parent, offences));
            for (Method method : type.getDeclaredMethods()) {
                if (visible(method) && !method.isSynthetic()) {
                    check(method.toString(), method.getReturnType(), offences);
                    Arrays.stream(method.getParameterTypes())
                            .forEach(parameter -> check(method.toString(), parameter, offences));
                }
            }
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (visible(constructor)) {
                    Arrays.stream(constructor.getParameterTypes())
                            .forEach(parameter -> check(constructor.toString(), parameter, offences));
                }
            }
        }
        assertThat(offences).isEmpty();
    }

    @Test
    void thePrefixComchMeansAnObjectOfDocaComch() throws IOException {
        Map<String, Set<String>> prefixed = publicClasses().stream()
                .filter(type -> type.getSimpleName().startsWith("Comch"))
                .collect(Collectors.groupingBy(
                        Class::getPackageName, Collectors.mapping(Class::getSimpleName, Collectors.toSet())));
        assertThat(prefixed)
                .containsOnlyKeys(
                        "io.github.comch4j.comch",
                        "io.github.comch4j.io", // as the types of the JDK, with the prefix
                        "io.github.comch4j.micrometer", // as Micrometer names binders: whose metrics they are
                        "io.github.comch4j.net", // as the types of the JDK
                        "io.github.comch4j.netty"); // as Netty names those of a transport
        Set<String> objects = Pattern.compile("struct doca_comch_(\\w+);")
                .matcher(Files.readString(Path.of("headers", "doca_comch.h"))
                        + Files.readString(Path.of("headers", "doca_comch_producer.h"))
                        + Files.readString(Path.of("headers", "doca_comch_consumer.h")))
                .results()
                .map(match -> "Comch" + match.group(1).substring(0, 1).toUpperCase(Locale.ROOT)
                        + match.group(1).substring(1))
                .filter(name -> !name.contains("_"))
                .collect(Collectors.toSet()); // those with one are tasks and events
        assertThat(prefixed.get("io.github.comch4j.comch")).isEqualTo(objects);
    }

    @Test
    void everyPublicPackageSaysWhatMayBeNull() throws Exception {
        List<String> exported = Pattern.compile("exports ([\\w.]+);")
                .matcher(Files.readString(Path.of("src", "main", "module", "module-info.java")))
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(exported).contains("io.github.comch4j", "io.github.comch4j.core", "io.github.comch4j.comch");
        for (String name : exported) {
            assertThat(Class.forName(name + ".package-info").isAnnotationPresent(NullMarked.class))
                    .as(name)
                    .isTrue();
        }
        assertThat(ReceiveHandler.class.getMethods()[0].getAnnotatedParameterTypes()[1].isAnnotationPresent(
                        Nullable.class))
                .as("its buffer")
                .isTrue();
        assertThat(BufferPool.class
                        .getMethod("tryAcquire")
                        .getAnnotatedReturnType()
                        .isAnnotationPresent(Nullable.class))
                .isTrue();
        assertThat(ComchConnection.class
                        .getMethod("attach", Object.class)
                        .getAnnotatedParameterTypes()[0]
                        .isAnnotationPresent(Nullable.class))
                .isTrue();
    }

    @Test
    void onlyTheLibraryMakesItsExceptions() throws IOException {
        List<Class<?>> exceptions = publicClasses().stream()
                .filter(Throwable.class::isAssignableFrom)
                .toList();
        assertThat(exceptions)
                .contains(DocaException.class, NativeLibraryException.class, ConnectionClosedException.class);
        // what a subclass of the library's hands up is an exception that the library has made
        assertThat(exceptions.stream()
                        .flatMap(type -> Arrays.stream(type.getDeclaredConstructors()))
                        .filter(PublicApiTest::visible))
                .allSatisfy(constructor ->
                        assertThat(constructor.getParameterTypes()).containsExactly(DocaException.class));
    }

    @Test
    void whatReadsAndWhatChangesHaveNamesOfTheirOwn() throws IOException {
        List<String> offences = new ArrayList<>();
        for (Class<?> type : publicClasses()) {
            Set<String> readers = Arrays.stream(type.getDeclaredMethods())
                    .filter(PublicApiTest::visible)
                    .filter(method -> method.getParameterCount() == 0
                            && method.getReturnType() != void.class
                            && method.getReturnType() != type)
                    .map(Method::getName)
                    .collect(Collectors.toSet());
            Arrays.stream(type.getDeclaredMethods())
                    .filter(PublicApiTest::visible)
                    .filter(method -> method.getParameterCount() > 0
                            && (method.getReturnType() == void.class || method.getReturnType() == type))
                    .filter(method -> readers.contains(method.getName()))
                    .forEach(method -> offences.add(method.toString()));
        }
        assertThat(offences).isEmpty();
    }

    private static boolean visible(Executable executable) {
        return (executable.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    private static void check(String where, Class<?> type, List<String> offences) {
        if (type != null
                && ((type.getName().startsWith("io.github.comch4j.") && !isExported(type.getName()))
                        || type.getName().startsWith("java.lang.invoke."))) {
            offences.add(where + ": " + type.getName());
        }
    }
}
