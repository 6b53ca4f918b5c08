package io.github.comch4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every public signature is in a file, so that a change of the API is seen in review. To write it anew:
 * {@code mvn test -Dtest=PublicSignaturesTest -Dcomch4j.api.write=true}.
 */
class PublicSignaturesTest {
    private static final Path LISTED = Path.of("src", "test", "api", "public-api.txt");
    private static final String ROOT = "io.github.comch4j.";

    private static List<String> signatures() throws IOException {
        List<String> lines = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>(PublicApiTest.publicClasses());
        types.sort(Comparator.comparing(Class::getName));
        for (Class<?> type : types) {
            lines.add(shortened(type.toGenericString()) + parents(type));
            Set<String> members = new TreeSet<>();
            add(type.getDeclaredFields(), Field::toGenericString, members);
            add(type.getDeclaredConstructors(), Constructor::toGenericString, members);
            add(type.getDeclaredMethods(), Method::toGenericString, members);
            for (Class<?> hidden = type.getSuperclass(); isHidden(hidden); hidden = hidden.getSuperclass()) {
                String of = hidden.getName() + ".";
                add(
                        hidden.getDeclaredMethods(),
                        method -> method.toGenericString().replace(of, type.getName() + "."),
                        members);
            }
            members.forEach(member -> lines.add("    " + member));
        }
        return lines;
    }

    private static String parents(Class<?> type) {
        Stream<String> parents = Stream.concat(
                        Stream.ofNullable(type.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                .map(parent -> shortened(parent.getTypeName()))
                .filter(name -> !name.equals("java.lang.Object"));
        String joined = String.join(", ", parents.toList());
        return joined.isEmpty() ? "" : " : " + joined;
    }

    private static <M extends Member> void add(M[] members, Function<M, String> text, Set<String> to) {
        for (M member : members) {
            boolean visible = (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
            if (visible && !member.isSynthetic() && !isBridge(member)) {
                to.add(shortened(text.apply(member)));
            }
        }
    }

    /** Whether what it has is seen in its subclasses alone. */
    private static boolean isHidden(Class<?> type) {
        return type != null && !Modifier.isPublic(type.getModifiers());
    }

    private static boolean isBridge(Member member) {
        return member instanceof Method method && method.isBridge();
    }

    private static String shortened(String signature) {
        return signature.replace(ROOT, "").replace("java.lang.foreign.", "").replace("java.lang.String", "String");
    }

    @Test
    void allAreInTheList() throws IOException {
        List<String> found = signatures();
        if (Boolean.getBoolean("comch4j.api.write")) {
            Files.createDirectories(LISTED.getParent());
            Files.write(LISTED, found);
        }
        assertThat(found)
                .as("the API has changed: -Dcomch4j.api.write=true writes %s", LISTED)
                .isEqualTo(Files.readAllLines(LISTED));
    }
}
