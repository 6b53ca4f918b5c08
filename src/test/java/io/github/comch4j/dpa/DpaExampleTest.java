package io.github.comch4j.dpa;

import static org.assertj.core.api.Assertions.assertThat;

import examples.DpaEcho;
import io.github.comch4j.Feature;
import io.github.comch4j.Machine;
import io.github.comch4j.Needs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/dpa.md: its kernel in C as it stands there, its host's side in Java. */
@Timeout(60)
@Needs(Feature.DPA)
class DpaExampleTest {
    private static final Pattern KERNEL = Pattern.compile("```c\\n(/\\* kernel\\.c \\*/.*?)```", Pattern.DOTALL);

    @Test
    void numbersComeBack(@TempDir Path folder) throws IOException {
        Machine.useEmulation();
        Matcher kernel = KERNEL.matcher(Files.readString(Path.of("docs", "dpa.md")));
        assertThat(kernel.find()).isTrue();
        Path source = Files.writeString(folder.resolve("kernel.c"), kernel.group(1));
        Path library = folder.resolve("kernel.so");
        Kernels.compile(source, library, "my_app");
        PrintStream usual = System.out;
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            DpaEcho.main(new String[] {library.toString()});
        } finally {
            System.setOut(usual);
        }
        assertThat(said.toString(StandardCharsets.UTF_8)).isEqualToIgnoringNewLines("[1, 2, 3]");
    }
}
