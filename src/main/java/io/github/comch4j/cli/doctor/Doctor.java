package io.github.comch4j.cli.doctor;

import io.github.comch4j.DocaException;
import io.github.comch4j.LibraryInfo;
import io.github.comch4j.NativeLibraryException;
import io.github.comch4j.cli.fabric.Fabric;
import io.github.comch4j.cli.fabric.FabricView;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.DeviceInfo;
import io.github.comch4j.core.Doca;
import io.github.comch4j.core.PciAddress;
import io.github.comch4j.core.RepresentorInfo;
import io.github.comch4j.dpa.Dpa;
import io.github.comch4j.internal.load.LibraryLocator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What would stop a machine, from the bottom up, in the order in which an engineer would look. */
public final class Doctor {
    /** Of the network function of each BlueField, as PCI knows it. */
    private static final Map<String, String> CARDS =
            Map.of("0xa2d2", "BlueField", "0xa2d6", "BlueField-2", "0xa2dc", "BlueField-3");

    private static final String NVIDIA = "0x15b3";
    private static final String LIBRARIES = "DOCA libraries";
    private static final String FABRIC = "fabric folder";
    private static final String DPA = "DPA";
    private static final String WITH_DPA = "BlueField-3";
    private static final long UNLIMITED = Long.MAX_VALUE;
    private static final int GROUP_WRITE = 0020;
    private static final int OTHERS_WRITE = 0002;
    private static final long LEAST_SHARED = 64L << 20;
    /** What the emulated BlueField reserves of addresses for a connection, in a file in memory (shm_map.h). */
    private static final long FILE_OF_CONNECTION = 12L << 30;

    private final MachineFacts machine;
    private final String arch;
    private final Map<String, String> environment;
    private final String library;
    private final List<Finding> findings = new ArrayList<>();
    private boolean sdk;
    private boolean broken;

    /** {@code library}: as {@code comch4j.library}, which libraries the user wants; empty if nobody has said. */
    public Doctor(MachineFacts machine, String arch, Map<String, String> environment, String library) {
        this.machine = machine;
        this.arch = arch;
        this.environment = environment;
        this.library = library;
    }

    public List<Finding> look() {
        libc();
        java();
        libraries();
        if (sdk) {
            card();
            verbs();
            lockedMemory();
        }
        sharedMemory();
        fileSize();
        fabric();
        if (machine.isThisOne() && !broken) {
            devices();
        }
        return findings;
    }

    private void libc() {
        if (machine.names("/lib").stream().anyMatch(name -> name.startsWith("ld-musl-"))) {
            findings.add(Finding.bad(
                    "libc",
                    "this is musl, and DOCA as well as the emulated BlueField are for the GNU C library",
                    "take an image of Debian, Ubuntu or RHEL in place of Alpine"));
            return;
        }
        Matcher version =
                Pattern.compile("(?i)ldd \\(.*libc.*\\) (\\d+\\.\\d+)").matcher(machine.run("ldd", "--version"));
        if (version.find()) {
            findings.add(Finding.good("libc", "GNU C library " + version.group(1)));
        }
    }

    private void java() {
        boolean allowed = Doctor.class.getModule().isNativeAccessEnabled();
        String java = "Java " + Runtime.version().feature() + " on " + arch;
        findings.add(
                allowed
                        ? Finding.good("Java", java + ", and native calls are allowed")
                        : Finding.limit(
                                "Java",
                                java + "; native calls are not allowed to the class path, which future releases forbid",
                                "java --enable-native-access=ALL-UNNAMED ..."));
    }

    /** Those that would be taken, and what else there is. */
    private void libraries() {
        if (library.equals("emulated")) {
            findings.add(Finding.good(LIBRARIES, "those of the emulated BlueField, as was asked for"));
            return;
        }
        Map<Path, Path[]> pairs = new LinkedHashMap<>();
        Path half = null;
        for (Path each : LibraryLocator.systemFolders(arch, environment)) {
            Path folder = machine.at(each.toString());
            Optional<Path> common = LibraryLocator.common(folder);
            Optional<Path> comch = LibraryLocator.comch(folder);
            if (common.isPresent() && comch.isPresent()) {
                pairs.putIfAbsent(real(folder), new Path[] {common.get(), comch.get()});
            } else if (common.isPresent() && half == null) {
                half = each;
            }
        }
        if (pairs.isEmpty() && half != null) {
            findings.add(Finding.limit(
                    LIBRARIES,
                    half + " has DOCA without Comch: programs run on the emulated BlueField",
                    "apt-get install doca-sdk-comch, or the same with dnf"));
            return;
        }
        if (pairs.isEmpty()) {
            findings.add(Finding.limit(
                    LIBRARIES,
                    "no DOCA SDK is installed: programs run on the emulated BlueField",
                    "for a card, install the packages of https://developer.nvidia.com/doca-downloads"));
            return;
        }
        sdk = true;
        Map.Entry<Path, Path[]> first = pairs.entrySet().iterator().next();
        Path common = first.getValue()[0];
        Path comch = first.getValue()[1];
        String release = release(common);
        String generation = comch.getFileName().toString().startsWith("libdoca_cc") ? "doca_cc" : "doca_comch";
        if (!release.equals(release(comch))) {
            broken = true;
            findings.add(Finding.bad(
                    LIBRARIES,
                    "of two releases in " + first.getKey() + ": " + real(common).getFileName() + " and "
                            + real(comch).getFileName(),
                    "apt-get install --reinstall doca-sdk-common doca-sdk-comch, of one release"));
        } else {
            findings.add(Finding.good(LIBRARIES, "in " + first.getKey() + ", release " + release + ", " + generation));
        }
        if (pairs.size() > 1) {
            findings.add(Finding.limit(
                    LIBRARIES,
                    "also in " + pairs.keySet().stream().skip(1).toList() + ": the first folder is taken",
                    "remove the older SDK, or name the folder: --library " + first.getKey()));
        }
        missing(comch);
    }

    /** What the dynamic linker does not find. */
    private void missing(Path library) {
        String said = machine.run("ldd", library.toString());
        Matcher absent = Pattern.compile("(\\S+) => not found").matcher(said);
        List<String> names = new ArrayList<>();
        while (absent.find()) {
            names.add(absent.group(1));
        }
        if (!names.isEmpty()) {
            broken = true;
            findings.add(Finding.bad(
                    "dependencies",
                    library.getFileName() + " needs " + String.join(", ", names) + ", not found on this machine",
                    names.stream().anyMatch(name -> name.contains("ibverbs") || name.contains("mlx5"))
                            ? "apt-get install rdma-core, or MLNX_OFED's"
                            : "ldconfig -p | grep " + names.getFirst().replaceAll("\\.so.*", "")));
        } else if (said.contains("=>")) {
            findings.add(Finding.good("dependencies", "all that " + library.getFileName() + " needs is there"));
        }
    }

    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file;
        }
    }

    /** What stands after {@code .so.} in the name of the file itself. */
    private static String release(Path library) {
        return real(library).getFileName().toString().replaceFirst(".*\\.so\\.?", "");
    }

    private void card() {
        boolean dpu = !machine.text("/etc/mlnx-release").isEmpty();
        List<String> cards = new ArrayList<>();
        String model = "";
        for (String address : machine.names("/sys/bus/pci/devices")) {
            String folder = "/sys/bus/pci/devices/" + address;
            String found = CARDS.get(machine.text(folder + "/device"));
            if (found != null && machine.text(folder + "/vendor").equals(NVIDIA)) {
                cards.add(address);
                model = found;
            }
        }
        if (cards.isEmpty()) {
            findings.add(Finding.bad(
                    "card",
                    "DOCA is installed and PCI has no BlueField",
                    "lspci -d 15b3: shows what there is; without a card: comch ... --library emulated"));
            return;
        }
        findings.add(
                Finding.good("card", model + " at " + String.join(", ", cards) + (dpu ? "; this is the DPU" : "")));
        boolean accelerated = model.equals(WITH_DPA);
        if (dpu) {
            eswitch(cards.getFirst());
        } else {
            mode(cards.getFirst(), accelerated);
        }
        if (dpu) {
            startsPrograms(accelerated, "in DPU mode, programs for it are started here, on the Arm cores");
        }
    }

    /** As reports of DOCA 2.7 and 2.8 have it (docs/dpa.md). */
    private void startsPrograms(boolean accelerated, String sentence) {
        if (accelerated) {
            findings.add(Finding.note(DPA, sentence, "see docs/dpa.md, \"Where programs start\""));
        }
    }

    private void mode(String address, boolean accelerated) {
        String said = machine.run("mlxconfig", "-d", address, "-e", "query", "INTERNAL_CPU_OFFLOAD_ENGINE");
        if (said.contains("DISABLED(1)")) {
            findings.add(Finding.bad(
                    "mode",
                    "the card is in NIC mode, in which nothing runs on its processor",
                    "mlxconfig -d " + address + " -y set INTERNAL_CPU_MODEL=1 INTERNAL_CPU_OFFLOAD_ENGINE=0,"
                            + " then a power cycle of the machine"));
            startsPrograms(accelerated, "in NIC mode, programs for it are started on the host, and there is no Comch");
        } else if (said.contains("ENABLED(0)")) {
            findings.add(Finding.good("mode", "the card is in DPU mode"));
            startsPrograms(accelerated, "in DPU mode, programs for it are started on the Arm cores, not on the host");
        } else {
            findings.add(Finding.limit(
                    "mode",
                    "whether the card is in DPU mode is not known: mlxconfig is not there, or was not answered",
                    "mlxconfig -d " + address + " -e query INTERNAL_CPU_OFFLOAD_ENGINE, as root"));
        }
    }

    private void eswitch(String address) {
        String said = machine.run("devlink", "dev", "eswitch", "show", "pci/" + address);
        if (said.contains("mode legacy")) {
            findings.add(Finding.bad(
                    "representors",
                    "the eswitch of " + address + " is in legacy mode, in which there are none",
                    "devlink dev eswitch set pci/" + address + " mode switchdev"));
            return;
        }
        List<String> representors = new ArrayList<>();
        for (String name : machine.names("/sys/class/net")) {
            String port = machine.text("/sys/class/net/" + name + "/phys_port_name");
            if (port.matches("(c\\d+)?pf\\d+(hpf|vf\\d+|sf\\d+)")) {
                representors.add(name);
            }
        }
        findings.add(
                representors.isEmpty()
                        ? Finding.bad(
                                "representors",
                                "no interface stands for a function of the host",
                                "devlink dev eswitch show pci/" + address + " must say switchdev; is the host on?")
                        : Finding.good("representors", String.join(", ", representors)));
    }

    private void verbs() {
        List<String> nodes = machine.names("/dev/infiniband").stream()
                .filter(name -> name.startsWith("uverbs"))
                .toList();
        if (nodes.isEmpty()) {
            boolean container =
                    Files.exists(machine.at("/.dockerenv")) || Files.exists(machine.at("/run/.containerenv"));
            findings.add(Finding.bad(
                    "verbs",
                    "there is no /dev/infiniband/uverbs0" + (container ? " in this container" : ""),
                    container
                            ? "docker run --device /dev/infiniband --ulimit memlock=-1 ..."
                            : "modprobe mlx5_ib ib_uverbs, or /etc/init.d/openibd restart"));
            return;
        }
        List<String> closed = nodes.stream()
                .filter(name -> {
                    Path node = machine.at("/dev/infiniband/" + name);
                    return !Files.isReadable(node) || !Files.isWritable(node);
                })
                .toList();
        findings.add(
                closed.isEmpty()
                        ? Finding.good("verbs", "/dev/infiniband has " + String.join(", ", nodes))
                        : Finding.bad(
                                "verbs",
                                "this user may not open /dev/infiniband/" + closed.getFirst(),
                                "usermod -aG rdma " + System.getProperty("user.name") + ", then log in again"));
    }

    /** As bytes; empty where it is not known. */
    private OptionalLong processLimit(String what) {
        Matcher limit = Pattern.compile("Max " + what + "\\s+(\\S+)").matcher(machine.text("/proc/self/limits"));
        if (!limit.find()) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(limit.group(1).equals("unlimited") ? UNLIMITED : Long.parseLong(limit.group(1)));
    }

    private void lockedMemory() {
        processLimit("locked memory")
                .ifPresent(limit -> findings.add(
                        limit == UNLIMITED
                                ? Finding.good("locked memory", "unlimited")
                                : Finding.limit(
                                        "locked memory",
                                        "at most " + limit / 1024 + " KiB, and DOCA locks all that it registers",
                                        "ulimit -l unlimited, or memlock in /etc/security/limits.conf")));
    }

    private void fileSize() {
        processLimit("file size")
                .ifPresent(limit -> findings.add(
                        limit == UNLIMITED || limit >= FILE_OF_CONNECTION
                                ? Finding.good("file size", limit == UNLIMITED ? "unlimited" : limit / 1024 + " KiB")
                                : Finding.limit(
                                        "file size",
                                        "at most " + limit / 1024
                                                + " KiB, and the emulated BlueField makes files in memory of "
                                                + FILE_OF_CONNECTION / 1024 + " KiB, of which it uses little",
                                        "ulimit -f unlimited, or fsize in /etc/security/limits.conf")));
    }

    /** Where the emulated BlueField's files are, or will be made. */
    private void sharedMemory() {
        boolean chosen = !environment.getOrDefault("DOCA_EMU_DIR", "").isEmpty();
        Path folder = chosen ? Fabric.usual(environment).toAbsolutePath().normalize() : Path.of("/dev/shm");
        Path there = folder;
        while (chosen && there.getParent() != null && !Files.exists(machine.at(there.toString()))) {
            there = there.getParent();
        }
        Matcher free = Pattern.compile("(?m)^\\s*(\\d+)\\s*$")
                .matcher(machine.run(
                        "df",
                        "-B1",
                        "--output=avail",
                        machine.at(there.toString()).toString()));
        if (!free.find()) {
            findings.add(Finding.limit(
                    "shared memory",
                    folder + " is not there, or its free space not known: the emulated BlueField needs a folder",
                    "export DOCA_EMU_DIR=$(mktemp -d)"));
            return;
        }
        long mebibytes = Long.parseLong(free.group(1)) >> 20;
        findings.add(
                Long.parseLong(free.group(1)) >= LEAST_SHARED
                        ? Finding.good("shared memory", mebibytes + " MiB free in " + folder)
                        : Finding.limit(
                                "shared memory",
                                "only " + mebibytes + " MiB free in " + folder
                                        + ", which the emulated BlueField lives in",
                                chosen
                                        ? "let DOCA_EMU_DIR name a folder with more room"
                                        : "docker run --shm-size 1g ..., or mount -o remount,size=1g /dev/shm"));
    }

    /** That of the emulated BlueField, if there is one: whose it is, and what is left in it. */
    private void fabric() {
        Path folder = Fabric.usual(environment);
        Path there = machine.at(folder.toString());
        if (!Files.isDirectory(there)) {
            return;
        }
        try {
            int owner = (int) Files.getAttribute(there, "unix:uid");
            int mode = (int) Files.getAttribute(there, "unix:mode");
            boolean group = environment.getOrDefault("DOCA_EMU_SHARE", "").equals("group");
            if (!group && owner != Fabric.user()) {
                findings.add(Finding.bad(
                        FABRIC,
                        folder + " belongs to user " + owner + ", and this is user " + Fabric.user(),
                        "export DOCA_EMU_DIR=$(mktemp -d), or share a group's folder: DOCA_EMU_SHARE=group"));
            } else if ((mode & (group ? OTHERS_WRITE : OTHERS_WRITE | GROUP_WRITE)) != 0) {
                findings.add(Finding.bad(
                        FABRIC,
                        folder + " can be written to by others, who could pass for any server",
                        "chmod " + (group ? "2770 " : "700 ") + folder));
            } else {
                leftovers(folder, there);
            }
        } catch (IOException e) {
            findings.add(Finding.limit(FABRIC, folder + " cannot be looked at: " + e.getMessage(), "ls -ld " + folder));
        }
    }

    private void leftovers(Path folder, Path there) throws IOException {
        int dead = new Fabric(there).dead().map(List::size).orElse(0);
        boolean allowed = Doctor.class.getModule().isNativeAccessEnabled(); // a look at processes makes native calls
        List<FabricView.Server> frozen = new ArrayList<>();
        if (allowed) {
            frozen.addAll(FabricView.of(there).servers);
            frozen.removeIf(
                    server -> server.process() == null || !server.process().isStopped());
        }
        if (dead > 0) {
            findings.add(Finding.limit(
                    FABRIC,
                    folder + " has the files of " + dead + (dead == 1 ? " server that is" : " servers that are")
                            + " dead",
                    "comch emulator clean"));
        }
        for (FabricView.Server server : frozen) {
            findings.add(Finding.limit(
                    FABRIC,
                    "server " + server.name() + " at " + server.function() + " answers nobody: process "
                            + server.process() + " is stopped",
                    "kill -CONT " + server.process().pid()));
        }
        if (dead == 0 && frozen.isEmpty()) {
            findings.add(Finding.good(
                    FABRIC, folder + " is this user's, and no server in it is dead" + (allowed ? " or stopped" : "")));
        }
    }

    /** As DOCA sees them. */
    private void devices() {
        try {
            LibraryInfo library = Doca.library();
            List<DeviceInfo> all = Device.list();
            long servers = all.stream().filter(DeviceInfo::server).count();
            long clients = all.stream().filter(DeviceInfo::client).count();
            String said = "DOCA " + library.version() + " (" + library.kind() + ") sees " + all.size() + ", " + servers
                    + " can serve and " + clients + " can be clients";
            findings.add(
                    servers + clients > 0
                            ? Finding.good("devices", said)
                            : Finding.bad("devices", said, "comch devices tells why"));
            dpa(all);
            loopBack(all, servers > 0, clients > 0);
        } catch (NativeLibraryException e) {
            findings.add(Finding.bad("devices", e.getMessage(), "comch info -v"));
        } catch (DocaException e) {
            findings.add(Finding.bad("devices", String.valueOf(e.getMessage()), "comch devices"));
        }
    }

    private void dpa(List<DeviceInfo> all) {
        List<String> with = new ArrayList<>();
        for (DeviceInfo info : all) {
            try (Device device = Device.open(info.address())) {
                if (Dpa.isSupported(device)) {
                    with.add(info.address().toString());
                }
            } catch (DocaException e) {
                // comch devices tells that it cannot be opened
            }
        }
        findings.add(
                with.isEmpty()
                        ? Finding.note(DPA, "no device has one, which MsgQ alone needs", "")
                        : Finding.good(DPA, "reached by " + String.join(", ", with)));
    }

    /** What goes from end to end, where both are here. */
    private void loopBack(List<DeviceInfo> all, boolean server, boolean client) {
        String about = "a message";
        if (!server || !client) {
            findings.add(Finding.note(
                    about,
                    "not tried: this machine has " + (server ? "the DPU's" : client ? "the host's" : "no") + " side"
                            + (server || client ? " only" : ""),
                    "comch serve on the DPU, then comch ping on the host"));
            return;
        }
        List<PciAddress> hosts =
                all.stream().filter(DeviceInfo::client).map(DeviceInfo::address).toList();
        for (DeviceInfo dpu : all) {
            if (!dpu.server()) {
                continue;
            }
            try (Device device = Device.openDpu(dpu.address())) {
                Optional<PciAddress> host = device.representors().stream()
                        .map(RepresentorInfo::address)
                        .filter(hosts::contains)
                        .findFirst();
                if (host.isPresent()) {
                    long took = new LoopBack(dpu.address(), host.get()).run();
                    findings.add(Finding.good(
                            about,
                            "went from " + host.get() + " to " + dpu.address() + " and back in "
                                    + "%.1f us".formatted(took / 1e3)));
                    return;
                }
            } catch (DocaException | ProgramException e) {
                findings.add(Finding.bad(about, String.valueOf(e.getMessage()), "comch serve & comch ping -v"));
                return;
            }
        }
        findings.add(Finding.note(about, "not tried: the devices here are not of one card", ""));
    }
}
