package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.io.ComchInputChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code comch cp}: puts files below the folder of a {@link CopyServer}, or gets them from there. */
public final class CopyClient {
    private final CopyLink link;
    private final CopyProgress progress;
    private final CopyOptions wish;

    public CopyClient(CopyLink link, CopyProgress progress, CopyOptions wish) {
        this.link = link;
        this.progress = progress;
        this.wish = wish;
    }

    /** Files of this side, to where the other side's path says. */
    public void put(List<String> files, String target) throws IOException {
        List<Path> given = files.stream().map(Path::of).toList();
        for (Path file : given) {
            if (!Files.exists(file)) {
                throw new ProgramException(file + ": " + OpenFolder.missing(file.toString()));
            }
        }
        boolean contents = given.stream().anyMatch(CopyClient::isContents);
        link.send('P', 0, message -> {
            message.writeInt(CopyServer.VERSION);
            message.writeUTF(target);
            message.writeBoolean(given.size() > 1 || target.endsWith("/") || contents);
        });
        CopyLink.Message ready = link.expect("R");
        int consumer = ready.rest().readInt();
        int chunkBytes = ready.rest().readInt();
        boolean into = ready.rest().readBoolean();
        CopySender sender = new CopySender(link, progress, wish);
        try (CopySources sources = new CopySources()) {
            for (Path file : given) {
                source(file, into ? null : OpenFolder.names(target).getLast(), sources);
            }
            long[] total = sender.total(sources);
            progress.total(total[0], total[1]);
            link.open(consumer, chunkBytes);
            sender.send(sources);
        }
    }

    /** Files of the other side, to a path of this one. */
    public void get(List<String> wanted, String place) throws IOException {
        Path target = Path.of(place);
        boolean into = Files.isDirectory(target);
        boolean many = wanted.size() > 1
                || place.endsWith("/")
                || wanted.stream().anyMatch(path -> OpenFolder.names(path).isEmpty());
        if (many && !into) {
            throw new NoSuchFileException(target.toString());
        }
        Path folder = into ? target : target.toAbsolutePath().getParent();
        String as = into ? null : target.getFileName().toString();
        try (OpenFolder root = OpenFolder.root(folder)) {
            ComchInputChannel in = link.input();
            link.send('G', 0, message -> {
                message.writeInt(CopyServer.VERSION);
                wish.write(message);
                message.writeInt(in.id());
                message.writeInt(CopyLink.CHUNK_BYTES);
                message.writeInt(wanted.size());
            });
            for (String path : wanted) {
                List<String> names = OpenFolder.names(path);
                link.send('N', 0, message -> {
                    message.writeUTF(path);
                    message.writeUTF(as != null ? as : names.isEmpty() ? "." : names.getLast());
                });
            }
            CopyLink.Message total = link.expect("T");
            progress.total(total.rest().readLong(), total.rest().readLong());
            new CopyReceiver(link, root, List.of(), progress).receive();
        }
    }

    /** A folder that stands for what is in it, such as {@code .}, which has no name of its own to be copied under. */
    private static boolean isContents(Path file) {
        String last = String.valueOf(file.getFileName());
        return file.getFileName() == null || last.equals(".") || last.equals("..") || last.isEmpty();
    }

    /** Of this side: the user has named it, so that it may be a link, and may be reached by links. */
    private static void source(Path file, @Nullable String as, CopySources sources) throws IOException {
        Path real = file.toRealPath();
        if (isContents(file) || real.getParent() == null) {
            sources.addContents(OpenFolder.root(real));
        } else {
            String own = real.getFileName().toString();
            sources.add(
                    OpenFolder.root(real.getParent()),
                    own,
                    as != null ? as : file.getFileName().toString());
        }
    }
}
