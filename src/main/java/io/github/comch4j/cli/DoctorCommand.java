package io.github.comch4j.cli;

import io.github.comch4j.cli.doctor.Doctor;
import io.github.comch4j.cli.doctor.Finding;
import io.github.comch4j.cli.doctor.MachineFacts;
import io.github.comch4j.cli.program.Json;
import io.github.comch4j.internal.load.LibrarySettings;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code comch doctor}. */
@Command(
        name = "doctor",
        description = "Check what keeps Comch from working on this machine, from the bottom up, and say what to do"
                + " about it.",
        exitCodeList = {"0:all is well", "1:it works with limits", "2:it does not work, or wrong command line"},
        footer = "  comch doctor --json | jq '.findings[] | select(.level != \"good\")'")
final class DoctorCommand extends ToolCommand implements Callable<Integer> {
    @Option(names = "--json", description = "print JSON")
    private boolean json;

    @Option(names = "--root", hidden = true, defaultValue = "/", description = "the folder that stands for /")
    private Path root;

    @Override
    public Integer call() {
        String arch = System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64";
        List<Finding> findings = new Doctor(
                        new MachineFacts(root.toAbsolutePath().normalize()),
                        arch,
                        System.getenv(),
                        LibrarySettings.library())
                .look();
        Finding.Level worst = findings.stream()
                .map(Finding::level)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("status", worst.status);
            all.put("findings", findings.stream().map(Finding::map).toList());
            System.out.print(Json.of(all));
        } else {
            boolean colour = spec.commandLine().getColorScheme().ansi().enabled();
            findings.forEach(finding -> print(finding, colour));
        }
        return worst.status;
    }

    private static void print(Finding finding, boolean colour) {
        Finding.Level level = finding.level();
        boolean letters = System.out.charset().newEncoder().canEncode('✔');
        String sign = letters ? level.mark : level.letters;
        String mark = colour ? "\033[" + level.colour + "m" + sign + "\033[0m" : sign;
        System.out.println(mark + " " + finding.about() + ": " + finding.sentence());
        if (!finding.remedy().isEmpty()) {
            System.out.println("    " + (letters ? "→ " : "") + finding.remedy());
        }
    }
}
