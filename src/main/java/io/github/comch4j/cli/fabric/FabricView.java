package io.github.comch4j.cli.fabric;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The emulated machine as it is at one moment, seen from outside: the servers' files in the fabric folder, which
 * processes have them open, and the memory of each connection, read through its processes' descriptors. Nothing is
 * mapped or written, so that nobody is disturbed; nothing that is read is believed: how much is read does not depend on
 * it, and texts are made printable. Offsets are those of {@code shm_control.h} and {@code shm_region.h}, and of
 * the endpoint API's {@code channel_memory.h}.
 */
public final class FabricView {
    static final int LAYOUT_VERSION = 10;

    private static final int MOST_FILES = 10_000;
    private static final int MOST_DESCRIPTORS = 1 << 20; // of all processes
    private static final String MEMORY = "/memfd:doca-emu-connection";
    private static final String ENDPOINTS = "/memfd:doca-emu-endpoint"; // of the endpoint API
    private static final String SERVICE = ".ep-"; // in the keys of its services, behind the function
    private static final String LOCK = ".lock";
    private static final int NAME_BYTES = 128;
    private static final int PLACE_CHARS = 12;

    private static final int HALF_BYTES = 17664;
    private static final int TAIL = 0;
    private static final int HEAD = 64;
    private static final int HEAD_MESSAGES = 72;
    private static final int DIRECTORY = 192;
    private static final int SLOTS = 128;
    private static final int LABEL_BYTES = 192;
    private static final int LABEL_NAME = 32;
    private static final int CONTROL_BYTES = 2 * HALF_BYTES + 2 * LABEL_BYTES;
    private static final long FIRST_REGION = 150_994_944;
    private static final long REGION_BYTES = 49_741_824;
    private static final long TOTAL_BYTES = 12_884_901_888L;
    private static final int REGION_HEADER = 192;
    private static final long CLAIM_CLOSED = 1L << 63;
    private static final int ENDPOINT_HALF_BYTES = 256;
    private static final int ENDPOINT_TAKEN = 72;
    private static final long ENDPOINT_TOTAL_BYTES = 4_295_032_832L;
    private static final String[] STATES = {"none", "created", "running", "expired"};

    /** {@code key}: of its file; {@code name} is empty if an older version has made it. */
    public record Server(
            String key,
            String function,
            String name,
            @Nullable FabricProcess process) {
        /** Of the endpoint API. */
        boolean isService() {
            return key.startsWith(SERVICE, PLACE_CHARS);
        }
    }

    /** {@code free}: posted buffers that no producer has taken; {@code taken}: how many were. */
    public record Consumer(long id, String state, long capacity, long free, long taken) {}

    /** What goes to one side: messages and bytes that have been sent, and what of it was not received yet. */
    public record FlowDirection(long messages, long bytes, long waiting, long producers, List<Consumer> consumers) {}

    /** {@code inode} tells connections apart. A process is null if it is not to be seen, or has gone. */
    public record Connection(
            long inode,
            String server,
            String function,
            @Nullable FabricProcess client,
            @Nullable FabricProcess serving,
            FlowDirection toClient,
            FlowDirection toServer) {}

    public final Path folder;
    final long nanos = System.nanoTime();
    public final List<Server> servers = new ArrayList<>();
    public final List<Connection> connections = new ArrayList<>();
    /** Of this folder or another: of another version, or unreadable. */
    public int unread;

    private final Map<String, String> names = new LinkedHashMap<>(); // by key
    private final Map<Object, String> keys = new HashMap<>(); // by the files' identity
    private final Map<String, FabricProcess> owners = new HashMap<>(); // by key
    private final Map<Long, List<FabricProcess>> holders = new LinkedHashMap<>(); // by the memory's inode
    private final Map<Long, Path> memories = new HashMap<>();
    private int descriptors;

    private FabricView(Path folder) {
        this.folder = folder;
    }

    public static FabricView of(Path folder) throws IOException {
        FabricView view = new FabricView(folder);
        view.readFolder();
        view.readProcesses();
        view.names.forEach((key, name) -> view.servers.add(new Server(key, function(key), name, view.owners.get(key))));
        view.servers.removeIf(server -> server.process == null); // a dead one's, which the next server removes
        view.servers.removeIf(view::isServicesForComch);
        view.holders.forEach(view::readMemory);
        return view;
    }

    /** Of a machine that nobody has used yet. */
    public static FabricView none(Path folder) {
        return new FabricView(folder);
    }

    /** A service of the endpoint API has two files: one for endpoints, and one for clients of Comch. */
    private boolean isServicesForComch(Server server) {
        String service = new StringBuilder(server.key)
                .insert(Math.min(server.key.length(), PLACE_CHARS), ".ep")
                .toString();
        return server.process != null && server.process.equals(owners.get(service));
    }

    private static String function(String key) {
        return printable(key.substring(0, Math.min(key.length(), PLACE_CHARS)));
    }

    public static String printable(String text) {
        return text.replaceAll("\\p{C}", "?");
    }

    /** Text that ends at the first zero, if there is one. */
    private static String text(byte[] bytes, int from, int length) {
        int end = from;
        while (end < from + length && end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return printable(new String(bytes, from, end - from, StandardCharsets.UTF_8));
    }

    private void readFolder() throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*" + LOCK)) {
            for (Path file : all) {
                if (names.size() == MOST_FILES) {
                    return;
                }
                String key = file.getFileName().toString();
                key = key.substring(0, key.length() - LOCK.length());
                if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    continue; // as a link is none
                }
                try (Descriptor held = Descriptor.held(file);
                        FileChannel open = held.read()) {
                    byte[] bytes = new byte[NAME_BYTES];
                    int length = Math.max(0, open.read(ByteBuffer.wrap(bytes)));
                    names.put(key, text(bytes, 0, length));
                    keys.put(identity(file, LinkOption.NOFOLLOW_LINKS), key);
                } catch (IOException e) {
                    unread++;
                }
            }
        }
    }

    private static Object identity(Path file, LinkOption... options) throws IOException {
        return Files.getAttribute(file, "unix:dev", options) + ":" + Files.getAttribute(file, "unix:ino", options);
    }

    private void readProcesses() throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : all) {
                try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
                    readProcess(process, open);
                } catch (IOException | java.nio.file.DirectoryIteratorException | SecurityException e) {
                    // somebody else's, or it has ended
                }
            }
        }
    }

    private void readProcess(Path process, DirectoryStream<Path> open) throws IOException {
        FabricProcess known = null;
        for (Path descriptor : open) {
            if (++descriptors > MOST_DESCRIPTORS) {
                return;
            }
            String target;
            try {
                target = Files.readSymbolicLink(descriptor).toString();
                boolean memory = target.startsWith(MEMORY) || target.startsWith(ENDPOINTS);
                if (!memory && !target.endsWith(LOCK)) {
                    continue;
                }
                known = known != null ? known : FabricProcess.of(process);
                if (memory) {
                    long inode = (Long) Files.getAttribute(descriptor, "unix:ino");
                    List<FabricProcess> having = holders.computeIfAbsent(inode, key -> new ArrayList<>());
                    if (!having.contains(known)) {
                        having.add(known);
                    }
                    memories.putIfAbsent(inode, descriptor);
                } else {
                    String key = keys.get(identity(descriptor));
                    if (key != null) {
                        owners.put(key, known);
                    }
                }
            } catch (IOException e) {
                // it was closed meanwhile
            }
        }
    }

    private void readMemory(long inode, List<FabricProcess> having) {
        try (Descriptor held = Descriptor.held(memories.get(inode));
                FileChannel memory = held.read()) {
            if (memory.size() == TOTAL_BYTES) {
                readConnection(inode, having, memory);
            } else if (memory.size() == ENDPOINT_TOTAL_BYTES) {
                readEndpoints(inode, having, memory);
            } else {
                unread++;
            }
        } catch (IOException e) {
            unread++;
        }
    }

    /** Its beginning. */
    private static byte[] read(FileChannel memory, int length) throws IOException {
        byte[] bytes = new byte[length];
        if (memory.read(ByteBuffer.wrap(bytes), 0) != length) {
            throw new IOException("shorter than it was");
        }
        return bytes;
    }

    private void readConnection(long inode, List<FabricProcess> having, FileChannel memory) throws IOException {
        byte[] bytes = read(memory, CONTROL_BYTES);
        ByteBuffer control = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
        int client = label(0);
        if (control.getInt(client) != LAYOUT_VERSION) {
            unread++; // also one that is just beginning
            return;
        }
        String name = text(bytes, client + LABEL_NAME, NAME_BYTES);
        String function = text(bytes, client + 16, 16);
        Server server = servers.stream()
                .filter(each ->
                        each.name.equals(name) && each.function.equals(function) && having.contains(each.process))
                .findFirst()
                .orElse(null);
        if (server == null) {
            return; // of another folder, or its server is no more
        }
        FabricProcess serving = server.process;
        FabricProcess other = having.stream()
                .filter(each -> !each.equals(serving))
                .findFirst()
                .orElse(control.getInt(label(0) + 8) == control.getInt(label(1) + 8) ? serving : null);
        connections.add(new Connection(
                inode, name, function, other, serving, direction(memory, control, 0), direction(memory, control, 1)));
    }

    /** Between endpoints, who tell nothing there of themselves: the service is one of its process's. */
    private void readEndpoints(long inode, List<FabricProcess> having, FileChannel memory) throws IOException {
        List<Server> services = servers.stream()
                .filter(each -> each.isService() && having.contains(each.process))
                .toList();
        if (services.isEmpty()) {
            return; // of another folder, or its service is no more
        }
        ByteBuffer control =
                ByteBuffer.wrap(read(memory, 2 * ENDPOINT_HALF_BYTES)).order(ByteOrder.nativeOrder());
        Server first = services.getFirst();
        boolean known = services.size() == 1;
        FabricProcess serving = first.process;
        FabricProcess other = having.stream()
                .filter(each -> !each.equals(serving))
                .findFirst()
                .orElse(serving);
        connections.add(new Connection(
                inode,
                known ? first.name : "one of " + services.size(),
                known ? first.function : "",
                other,
                serving,
                endpointDirection(control, 0),
                endpointDirection(control, ENDPOINT_HALF_BYTES)));
    }

    /** What goes to the side whose half is at {@code own}. */
    private static FlowDirection endpointDirection(ByteBuffer control, int own) {
        int other = ENDPOINT_HALF_BYTES - own;
        long sent = control.getLong(other + TAIL);
        return new FlowDirection(
                control.getLong(own + ENDPOINT_TAKEN),
                sent,
                Math.max(0, sent - control.getLong(own + HEAD)),
                0,
                List.of());
    }

    private static int label(int side) {
        return 2 * HALF_BYTES + side * LABEL_BYTES;
    }

    /** What goes to a side. */
    private static FlowDirection direction(FileChannel memory, ByteBuffer control, int side) throws IOException {
        int own = side * HALF_BYTES;
        int other = (1 - side) * HALF_BYTES;
        long sent = control.getLong(other + TAIL);
        List<Consumer> consumers = new ArrayList<>();
        ByteBuffer header = ByteBuffer.allocate(REGION_HEADER).order(ByteOrder.nativeOrder());
        for (int slot = 0; slot < SLOTS; slot++) {
            long entry = control.getLong(own + DIRECTORY + 8 * slot);
            int state = (int) (entry & 0xff);
            if (state != 1 && state != 2) {
                continue;
            }
            header.clear();
            if (memory.read(header, FIRST_REGION + ((long) side * SLOTS + slot) * REGION_BYTES) != REGION_HEADER) {
                continue;
            }
            long claimed = header.getLong(128) & ~CLAIM_CLOSED;
            consumers.add(new Consumer(
                    entry >>> 32,
                    STATES[state],
                    Integer.toUnsignedLong(header.getInt(0)),
                    Math.max(0, header.getLong(64) - claimed),
                    Math.max(0, claimed - header.getLong(16))));
        }
        return new FlowDirection(
                control.getLong(own + HEAD_MESSAGES),
                sent,
                Math.max(0, sent - control.getLong(own + HEAD)),
                Integer.toUnsignedLong(control.getInt(label(1 - side) + 4)),
                consumers);
    }
}
