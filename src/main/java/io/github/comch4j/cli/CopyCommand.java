package io.github.comch4j.cli;

import io.github.comch4j.cli.copy.CopyClient;
import io.github.comch4j.cli.copy.CopyLink;
import io.github.comch4j.cli.copy.CopyOptions;
import io.github.comch4j.cli.copy.CopyProgress;
import io.github.comch4j.cli.copy.CopyServer;
import io.github.comch4j.cli.copy.OpenFolder;
import io.github.comch4j.cli.program.Interrupt;
import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.ToolThreads;
import io.github.comch4j.io.MessageServerSocket;
import io.github.comch4j.io.MessageSocket;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code comch cp}. */
@Command(
        name = "cp",
        description = "Copy files to and from the other side, where \"comch cp --serve DIR\" runs. To resume an"
                + " interrupted copy, run the same command again.",
        customSynopsis = {
            "Usage: comch cp [-r] [-u] [OPTION…] FILE… dpu:PATH",
            "       comch cp [-r] [-u] [OPTION…] dpu:FILE… PATH",
            "       comch cp --serve DIR [--read-only] [OPTION…]"
        },
        synopsisHeading = "",
        exitCodeList = {"0:everything was copied", "1:something was not; stderr says what and why"},
        footer = {
            "  comch cp --serve /srv/images             on the DPU",
            "  comch cp bf.img dpu:                     on the host: into /srv/images",
            "  comch cp -r dpu:logs dpu:config.txt .    on the host: from there",
            "  comch cp -ru results host:               on the DPU: what has changed"
        })
final class CopyCommand extends ToolCommand implements UsesDevice, Callable<Integer> {
    private static final String NAME = "comch4j-cp";
    private static final Duration MOMENT = Duration.ofMillis(200);
    private static final Duration A_WHILE = Duration.ofSeconds(30);
    private static final Duration LAST_WORDS = Duration.ofSeconds(1);
    private static final String DPU = "dpu:";
    private static final String HOST = "host:";

    @Parameters(
            paramLabel = "FILE",
            arity = "0..*",
            description = "files, and where to copy them; paths of the other side begin with dpu: or host:")
    private List<String> files = List.of();

    @Option(
            names = {"-r", "--recursive"},
            description = "copy folders with everything in them")
    private boolean recursive;

    @Option(
            names = {"-u", "--update"},
            description = "skip files that exist with the same size and time")
    private boolean update;

    @Option(
            names = {"-P", "--links"},
            description = "copy links that cannot lead out of the folder at the other end; without -P, skip links")
    private boolean links;

    @Option(
            names = {"-q", "--quiet"},
            description = "print no progress on the terminal")
    private boolean quiet;

    @Option(
            names = "--serve",
            paramLabel = "DIR",
            description = "serve the files below this folder to the other side, until Ctrl-C")
    private @Nullable Path serve;

    @Option(names = "--read-only", description = "with --serve: clients can only get files")
    private boolean readOnly;

    @Mixin
    private final ServerName name = new ServerName(NAME);

    @Mixin
    private Meeting meeting;

    @Override
    public Integer call() {
        try {
            return begin();
        } catch (IOException | InvalidPathException e) {
            throw failed(e);
        }
    }

    private static ProgramException failed(Exception e) {
        return new ProgramException(
                e instanceof FileSystemException file
                        ? file.getFile() + ": " + ProgramException.reason(e)
                        : e.getMessage(),
                e);
    }

    private int begin() throws IOException {
        if (serve != null) {
            if (!files.isEmpty()) {
                throw wrong("--serve: takes one folder, and no files");
            }
            serve(serve);
            return 0;
        }
        if (files.size() < 2) {
            throw wrong("what to copy, or where to, is missing");
        }
        boolean put = isRemote(files.getLast());
        String prefix = prefix(put ? files.getLast() : files.getFirst());
        for (int i = 0; i < files.size() - 1; i++) {
            if (isRemote(files.get(i)) == put || (!put && !files.get(i).startsWith(prefix))) {
                throw wrong("either all files or the target must be of the other side, dpu: or host:");
            }
        }
        return copy(put, prefix);
    }

    private static boolean isRemote(String file) {
        return file.startsWith(DPU) || file.startsWith(HOST);
    }

    private String prefix(String file) {
        if (!isRemote(file)) {
            throw wrong("neither the files nor the target is of the other side, dpu: or host:");
        }
        return file.startsWith(DPU) ? DPU : HOST;
    }

    private int copy(boolean put, String prefix) {
        try (Meeting.End end = meeting.open(name.get(), prefix.equals(HOST));
                CopyProgress progress = new CopyProgress(quiet);
                Interrupt interrupt = new Interrupt(LAST_WORDS)) {
            if (end.listens() != prefix.equals(HOST)) {
                throw new ProgramException("this is the " + (end.listens() ? "DPU" : "host") + "'s side: the other is "
                        + (end.listens() ? HOST : DPU));
            }
            try (MessageServerSocket server = end.listens() ? end.listen(false) : null;
                    CopyLink link = new CopyLink(meet(end, server, interrupt), end.loop(), interrupt::stopped)) {
                CopyClient client = new CopyClient(link, progress, new CopyOptions(recursive, update, links));
                List<String> sources = files.subList(0, files.size() - 1);
                link.run(() -> {
                    try {
                        if (put) {
                            client.put(sources, files.getLast().substring(prefix.length()));
                        } else {
                            client.get(
                                    sources.stream()
                                            .map(file -> file.substring(prefix.length()))
                                            .toList(),
                                    files.getLast());
                        }
                    } catch (FileSystemException e) {
                        throw failed(e);
                    }
                });
            } catch (CopyLink.Stopped e) {
                progress.end();
                System.err.println("comch: interrupted: " + progress + "; the same again goes on from there");
                return 1;
            } catch (ProgramException e) {
                progress.end();
                throw progress.hasBegun() ? new ProgramException(e.getMessage() + ": " + progress, e) : e;
            }
            progress.end();
            if (progress.draws() || common.verbose()) {
                System.err.println("comch: copied " + progress);
            }
            return progress.failures() == 0 ? 0 : 1;
        }
    }

    private MessageSocket meet(Meeting.End end, @Nullable MessageServerSocket server, Interrupt interrupt) {
        MessageSocket met = interrupt.during(
                () -> server != null ? server.accept(meeting.timeout()) : end.connect(false, "comch cp --serve DIR"));
        if (interrupt.stopped()) {
            throw new CopyLink.Stopped();
        }
        if (met == null) {
            throw new ProgramException(
                    "no client has connected from the host: is \"comch cp --serve DIR\" running there?");
        }
        return met;
    }

    private void serve(Path folder) throws IOException {
        try (OpenFolder root = OpenFolder.root(folder);
                Meeting.End end = meeting.open(name.get(), true);
                MessageServerSocket server = end.listens() ? end.listen(false) : null;
                Interrupt interrupt = new Interrupt(LAST_WORDS)) {
            System.out.println("serves " + folder.toAbsolutePath().normalize()
                    + (readOnly ? " for reading" : " for reading and writing") + " as \"" + name + "\"");
            CopyServer copies = new CopyServer(root, readOnly);
            Set<Thread> threads = ConcurrentHashMap.newKeySet();
            while (!interrupt.stopped()) {
                // An attempt that is given up while the other side accepts it would be a copy that fails there.
                MessageSocket next =
                        server != null ? server.accept(MOMENT) : interrupt.during(() -> end.tryConnect(A_WHILE));
                threads.removeIf(thread -> !thread.isAlive());
                if (next == null) {
                    continue;
                }
                Thread thread = ToolThreads.start("client", () -> copies.serve(next, end.loop(), interrupt::stopped));
                threads.add(thread);
                while (server == null && thread.isAlive()) {
                    ToolThreads.pause(); // its connection has one end for all
                }
            }
            while (threads.stream().anyMatch(Thread::isAlive)) {
                ToolThreads.pause();
            }
        }
    }
}
