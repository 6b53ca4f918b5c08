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
        description = "Ask a BlueField how it behaves where the emulated one has a reading of its own, and report what"
                + " differs. Takes up to ten minutes. The half on the DPU is to be started first, and ends with the"
                + " run.",
        exitCodeList = {
            "0:all is as expected",
            "1:something differs",
            "2:there was nothing to compare, or not a command line of comch"
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
            description = "dpu, on the DPU: waits for the other half; host, on the host: runs the probes")
    private @Nullable String side;

    @Option(
            names = "--device",
            paramLabel = "PCI",
            converter = OptionConverters.Address.class,
            description = "the device: on the DPU its own, on the host the function (the first that is good)")
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
            description = "under which the halves find each other (${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = {"-W", "--timeout"},
            paramLabel = "SECONDS",
            defaultValue = "60",
            converter = OptionConverters.Seconds.class,
            description = "on the host: how long to wait for the other half (${DEFAULT-VALUE})")
    private Duration timeout;

    @Option(
            names = "--quick",
            description = "on the host: without the probes that take long, and with shorter measurements")
    private boolean quick;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description = "on the host: these probes, or all whose names begin so, as in --only consumer")
    private List<String> only = List.of();

    @Option(names = "--list", description = "what the probes are, and what the emulated device answers")
    private boolean list;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "write FILE.txt and FILE.json, which say nothing of whose machine it is")
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
