package io.github.comch4j.cli.copy;

import io.github.comch4j.DocaException;
import io.github.comch4j.comch.ConnectionClosedException;
import io.github.comch4j.core.Device;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.internal.support.program.ProgramException;
import io.github.comch4j.internal.support.program.Sizes;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.ComchSocket;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** {@code comch cp --serve}: what one client wants, of the files below a folder. */
public final class CopyServer {
    /** Of what is said; the other end's must be the same. */
    public static final int VERSION = 1;

    private static final int MOST_SOURCES = 100_000;

    private final Below root;
    private final boolean readOnly;

    public CopyServer(Below root, boolean readOnly) {
        this.root = root;
        this.readOnly = readOnly;
    }

    /** What has been done for a client, and what it is told of a sender's failures. */
    private static final class Done implements CopyReport {
        private final CopyLink link;
        private final boolean sends;
        private long files;
        private long bytes;

        Done(CopyLink link, boolean sends) {
            this.link = link;
            this.sends = sends;
        }

        @Override
        public void begin(String name, long size) {}

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
        public void failed(String name, String why) {
            if (sends) {
                link.send('K', message -> {
                    message.writeUTF(name);
                    message.writeUTF(why);
                });
            }
        }

        @Override
        public void refused(String name, String why) {
            // the client tells its user
        }

        @Override
        public String toString() {
            return files + (files == 1 ? " file, " : " files, ") + Sizes.format(bytes);
        }
    }

    /** Until the client leaves; prints what it has had. */
    public void serve(ComchSocket client, EventLoop loop, Device device, BooleanSupplier stopped) {
        Done done = null;
        String what = "";
        try (CopyLink link = new CopyLink(client, loop, device, stopped)) {
            try {
                CopyLink.Message wish = link.expect("PG");
                checkVersion(wish);
                boolean put = wish.kind() == 'P';
                what = put ? "has put " : "has got ";
                done = new Done(link, !put);
                if (put) {
                    put(link, wish.rest(), done);
                } else {
                    get(link, wish.rest(), done);
                }
                while (true) {
                    var _ = link.receive(); // until it leaves, which it does first
                }
            } catch (IOException | InvalidPathException | ProgramException e) {
                String why = e instanceof ProgramException ? e.getMessage() : ProgramException.reason(e);
                System.err.println("comch: a client: " + CopyLink.printable(String.valueOf(why)));
                link.sendSentence('X', String.valueOf(why));
                linger(link);
            }
        } catch (ConnectionClosedException | CopyLink.Stopped e) {
            // it has left, or this process is to end
        } catch (DocaException | IllegalStateException e) {
            System.err.println("comch: a client: " + e.getMessage());
        }
        if (done != null && done.files > 0) {
            System.out.println("a client " + what + done);
        }
    }

    /** The client reads why, and leaves. */
    private static void linger(CopyLink link) {
        long until = System.nanoTime() + 5_000_000_000L;
        while (System.nanoTime() - until < 0) {
            try {
                link.receive();
            } catch (ProgramException e) {
                return;
            }
        }
    }

    private static void checkVersion(CopyLink.Message wish) throws IOException {
        int version = wish.rest().readInt();
        if (version != VERSION) {
            throw new ProgramException(
                    "the server speaks version " + VERSION + " of this, and the client version " + version);
        }
    }

    private void put(CopyLink link, DataInputStream wish, Done done) throws IOException {
        if (readOnly) {
            throw new ProgramException("files can be read there, and not written");
        }
        List<String> target = Below.names(wish.readUTF());
        boolean many = wish.readBoolean();
        boolean into = isFolder(target);
        if (many && !into) {
            throw new ProgramException("no such folder there: /" + String.join("/", target));
        }
        List<String> base = into ? target : target.subList(0, target.size() - 1);
        root.walk(base).close();
        ComchInputChannel in = link.input();
        link.send('R', message -> {
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
        CopyWish what = CopyWish.read(wish);
        int consumer = wish.readInt();
        int chunkBytes = wish.readInt();
        int count = wish.readInt();
        if (count < 0 || count > MOST_SOURCES) {
            throw new ProgramException("a client wants " + count + " files at once");
        }
        CopySender sender = new CopySender(link, done, what);
        List<CopySender.Source> sources = new ArrayList<>();
        List<Below> opened = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                DataInputStream named = link.expect("N").rest();
                source(named.readUTF(), named.readUTF(), sources, opened);
            }
            long[] total = sender.total(sources);
            link.send('T', message -> {
                message.writeLong(total[0]);
                message.writeLong(total[1]);
            });
            link.open(consumer, chunkBytes);
            sender.send(sources);
        } finally {
            opened.forEach(Below::close);
        }
    }

    private void source(String path, String as, List<CopySender.Source> sources, List<Below> opened)
            throws IOException {
        List<String> names = Below.names(path);
        Below parent = root.walk(names.isEmpty() ? names : names.subList(0, names.size() - 1));
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
