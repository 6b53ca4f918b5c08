package io.github.comch4j.cli;

import io.github.comch4j.cli.conformance.Conformance;
import io.github.comch4j.cli.conformance.KitSide;
import io.github.comch4j.core.PciAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
        exitCodeListHeading = "%nExit status:%n",
        footerHeading = "%nExample:%n",
        footer = {
            "  comch conformance --side dpu --report dpu       on the DPU, first",
            "  comch conformance --side host --report host     on the host"
        })
final class ConformanceCommand implements Callable<Integer> {
    @Option(
            names = "--side",
            paramLabel = "SIDE",
            description = "on the DPU, dpu: wait for the other half; on the host, host: run the probes")
    private @Nullable String side;

    @Option(
            names = "--device",
            paramLabel = "PCI",
            converter = OptionConverters.Address.class,
            description = "the device: on the DPU, its own; on the host, the function (the first that fits)")
    private @Nullable PciAddress device;

    @Option(
            names = "--representor",
            paramLabel = "PCI",
            converter = OptionConverters.Address.class,
            description = "on the DPU: the host's function to serve, as the host sees it (the first)")
    private @Nullable PciAddress function;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = "comch4j-conformance",
            description = "the server's name, the same for both halves (${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = {"-W", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "60",
            converter = OptionConverters.Seconds.class,
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

    @Mixin
    CommonOptions common;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if (side != null && !side.equals("dpu") && !side.equals("host")) {
            throw OptionConverters.wrong(spec, "--side " + side + ": must be host or dpu");
        }
        OptionConverters.name(spec, name);
        Conformance half = new Conformance(
                Optional.ofNullable(side).map(text -> text.equals("dpu") ? KitSide.DPU : KitSide.HOST),
                Optional.ofNullable(device),
                Optional.ofNullable(function),
                name,
                timeout,
                quick,
                only,
                Optional.ofNullable(report),
                common.verbose());
        return half.run(list, worker);
    }
}
