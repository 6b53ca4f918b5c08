package io.github.comch4j.cli.copy;

import io.github.comch4j.cli.program.ProgramException;
import io.github.comch4j.cli.program.Sizes;
import io.github.comch4j.core.EventLoop;
import io.github.comch4j.io.ComchInputChannel;
import io.github.comch4j.io.MessageSocket;
import java.io.DataInputStream;
import java.io.IOException;
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

    /** Until the client leaves; prints what it has had. */
    public void serve(MessageSocket client, EventLoop loop, BooleanSupplier stopped) {
        CopyReport done = new CopyReport();
        try (CopyLink link = new CopyLink(client, loop, stopped)) {
            link.run(() -> serve(link, done));
            link.awaitEnd();
        } catch (CopyLink.Stopped e) {
            // this process is to end
        } catch (ProgramException e) {
            System.err.println("comch: a client: " + e.getMessage());
        }
        if (done.files > 0) {
            System.out.println("a client has " + done.verb + " " + done.files
                    + (done.files == 1 ? " file, " : " files, ") + Sizes.format(done.bytes.get()));
        }
    }

    private void serve(CopyLink link, CopyReport done) throws IOException {
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

    private void put(CopyLink link, DataInputStream wish, CopyReport done) throws IOException {
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

    private void get(CopyLink link, DataInputStream wish, CopyReport done) throws IOException {
        CopyOptions what = CopyOptions.read(wish);
        int consumer = wish.readInt();
        int chunkBytes = wish.readInt();
        int count = wish.readInt();
        if (count < 0 || count > MOST_SOURCES) {
            throw new ProgramException("a client asks for " + count + " files at once");
        }
        CopySender sender = new CopySender(link, done, what);
        try (CopySources sources = new CopySources()) {
            for (int i = 0; i < count; i++) {
                DataInputStream named = link.expect("N").rest();
                source(named.readUTF(), named.readUTF(), sources);
            }
            long[] total = sender.total(sources);
            link.send('T', 0, message -> {
                message.writeLong(total[0]);
                message.writeLong(total[1]);
            });
            link.open(consumer, chunkBytes);
            sender.send(sources);
        }
    }

    private void source(String path, String as, CopySources sources) throws IOException {
        List<String> names = OpenFolder.names(path);
        if (names.isEmpty()) {
            sources.addContents(root.walk(names));
        } else {
            sources.add(root.walk(names.subList(0, names.size() - 1)), names.getLast(), as);
        }
    }
}
