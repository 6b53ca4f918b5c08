package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.MessageSocket;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** {@code comch cp --serve}: what one client wants, of the files below a folder. */
public final class CopyServer {
    /** Of what is said; the other end's must be the same. */
    public static final int VERSION = 2;

    private static final int MOST_SOURCES = 100_000;

    private final OpenFolder root;
    private final boolean readOnly;

    public CopyServer(OpenFolder root, boolean readOnly) {
        this.root = root;
        this.readOnly = readOnly;
    }

    /** What has been done for a client, which tells its user what has not. */
    private static final class Done implements CopyReport {
        private String verb = "";
        private long files;
        private long bytes;

        @Override
        public void begin(String name) {}

        @Override
        public void moved(long more) {
            bytes += more;
        }

        @Override
        public void there(long more) {}

        @Override
        public void done() {
            files++;
        }

        @Override
        public void failed(String name, String why) {}

        @Override
        public String toString() {
            return "a client has " + verb + " " + files + (files == 1 ? " file, " : " files, ") + Sizes.format(bytes);
        }
    }

    /** Until the client leaves; prints what it has had. */
    public void serve(MessageSocket client, EventLoop loop, BooleanSupplier stopped) {
        Done done = new Done();
        try (CopyLink link = new CopyLink(client, loop, stopped)) {
            link.run(() -> serve(link, done));
            link.awaitEnd();
        } catch (CopyLink.Stopped e) {
            // this process is to end
        } catch (ProgramException e) {
            System.err.println("comch: a client: " + e.getMessage());
        }
        if (done.files > 0) {
            System.out.println(done);
        }
    }

    private void serve(CopyLink link, Done done) throws IOException {
        CopyLink.Message wish = link.expect("PG");
        int version = wish.rest().readInt();
        if (version != VERSION) {
            throw new ProgramException(
                    "the server speaks version " + VERSION + " of this, and the client version " + version);
        }
        if (wish.kind() == 'P') {
            done.verb = "put";
            put(link, wish.rest(), done);
        } else {
            done.verb = "got";
            get(link, wish.rest(), done);
        }
    }

    private void put(CopyLink link, DataInputStream wish, Done done) throws IOException {
        if (readOnly) {
            throw new ProgramException("files can be read there, and not written");
        }
        List<String> target = OpenFolder.names(wish.readUTF());
        boolean many = wish.readBoolean();
        boolean into = isFolder(target);
        if (many && !into) {
            throw new ProgramException("no such folder there: /" + String.join("/", target));
        }
        List<String> base = into ? target : target.subList(0, target.size() - 1);
        root.walk(base).close();
        ComchInputChannel in = link.input();
        link.send('R', 0, message -> {
            message.writeInt(in.id());
            message.writeInt(CopyLink.CHUNK_BYTES);
            message.writeBoolean(into);
        });
        new CopyReceiver(link, root, base, done).receive();
    }

    private boolean isFolder(List<String> names) {
        try {
            root.walk(names).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void get(CopyLink link, DataInputStream wish, Done done) throws IOException {
        CopyOptions what = CopyOptions.read(wish);
        int consumer = wish.readInt();
        int chunkBytes = wish.readInt();
        int count = wish.readInt();
        if (count < 0 || count > MOST_SOURCES) {
            throw new ProgramException("a client wants " + count + " files at once");
        }
        CopySender sender = new CopySender(link, done, what);
        List<CopySender.Source> sources = new ArrayList<>();
        List<OpenFolder> opened = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                DataInputStream named = link.expect("N").rest();
                source(named.readUTF(), named.readUTF(), sources, opened);
            }
            long[] total = sender.total(sources);
            link.send('T', 0, message -> {
                message.writeLong(total[0]);
                message.writeLong(total[1]);
            });
            link.open(consumer, chunkBytes);
            sender.send(sources);
        } finally {
            opened.forEach(OpenFolder::close);
        }
    }

    private void source(String path, String as, List<CopySender.Source> sources, List<OpenFolder> opened)
            throws IOException {
        List<String> names = OpenFolder.names(path);
        OpenFolder parent = root.walk(names.isEmpty() ? names : names.subList(0, names.size() - 1));
        opened.add(parent);
        if (names.isEmpty()) {
            for (String each : parent.names()) {
                sources.add(new CopySender.Source(parent, each, each));
            }
        } else {
            sources.add(new CopySender.Source(parent, names.getLast(), as));
        }
    }
}
