package io.github.comch4j.cli;

import io.github.comch4j.cli.conformance.Conformance;
import io.github.comch4j.cli.conformance.KitSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code comch conformance}: the options of {@link Conformance}. */
@Command(
        name = "conformance",
        description = "Test how a BlueField behaves where DOCA's guides leave questions open, and report what differs"
                + " from the emulated one. Takes up to 10 minutes. Start the half on the DPU first; it ends with"
                + " the run.",
        exitCodeList = {
            "0:everything is as expected",
            "1:something differs",
            "2:there was nothing to compare, or wrong command line"
        },
        footer = {
            "  comch conformance --side dpu --report dpu       on the DPU, first",
            "  comch conformance --side host --report host     on the host"
        })
final class ConformanceCommand extends ToolCommand implements Callable<Integer> {
    @Option(
            names = "--side",
            paramLabel = "SIDE",
            description = "on the DPU, dpu: wait for the other half; on the host, host: run the probes")
    private @Nullable KitSide side;

    @Mixin
    private DeviceChoice choice;

    @Mixin
    private final ServerName name = new ServerName("comch4j-conformance");

    @Option(
            names = {"-W", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "60",
            description = "on the host: how long to wait for the other half (${DEFAULT-VALUE})")
    private Duration timeout;

    @Option(names = "--quick", description = "on the host: skip the long probes, and take shorter measurements")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "on the host: only these probes, or those whose names begin with NAME, as in --only consumer")
    private List<String> only = List.of();

    @Option(names = "--list", description = "list the probes, and what the emulated device answers")
    private boolean list;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "write FILE.txt and FILE.json, which do not identify the machine")
    private @Nullable Path report;

    @Option(names = "--worker", hidden = true, description = "the process that makes the calls")
    private boolean worker;

    @Override
    public Integer call() {
        Conformance half = new Conformance(
                Optional.ofNullable(side),
                Optional.ofNullable(choice.address),
                Optional.ofNullable(choice.function),
                name.get(),
                timeout,
                quick,
                only,
                Optional.ofNullable(report),
                common.verbose());
        return half.run(list, worker);
    }
}
