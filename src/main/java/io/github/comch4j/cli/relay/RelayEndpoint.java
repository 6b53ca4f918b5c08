package io.github.comch4j.cli.relay;

import io.github.comch4j.cli.program.ProgramException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An end of a pair, as the command line has it. */
public sealed interface RelayEndpoint {
    /** What there can be, for who has written something else. */
    String FORMS = "unix:PATH, tcp:[HOST:]PORT, -, exec:COMMAND or comch:NAME";

    /** A Unix socket; mode, user and group are of one that is listened on. */
    record Unix(
            String path,
            int mode,
            @Nullable String user,
            @Nullable String group) implements RelayEndpoint {
        /** What the kernel has room for. */
        static final int LONGEST_PATH = 107;

        private static final Charset NAMES =
                Charset.forName(System.getProperty("sun.jnu.encoding"), StandardCharsets.UTF_8); // of the file system

        private static final int OWNER_ONLY = 0600;

        static Unix parse(String text) {
            String[] parts = text.split(",", -1);
            int mode = OWNER_ONLY;
            String user = null;
            String group = null;
            for (int i = 1; i < parts.length; i++) {
                String[] option = parts[i].split("=", 2);
                String value = option.length == 2 ? option[1] : "";
                switch (option[0]) {
                    case "mode" -> mode = mode(value);
                    case "user" -> user = filled(value, "user");
                    case "group" -> group = filled(value, "group");
                    default ->
                        throw wrong("unix:" + text, "\"" + parts[i] + "\" is not mode=0660, user=NAME or group=NAME");
                }
            }
            if (parts[0].isEmpty() || bytes(parts[0]) > LONGEST_PATH) {
                throw wrong("unix:" + text, "a path has 1 to " + LONGEST_PATH + " bytes");
            }
            return new Unix(parts[0], mode, user, group);
        }

        static int bytes(String path) {
            return path.getBytes(NAMES).length;
        }

        private static int mode(String text) {
            try {
                int mode = Integer.parseInt(text, 8);
                if (mode >= 0 && mode <= 0777) {
                    return mode;
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw new ProgramException("mode=" + text + ": a mode is octal, from 0 to 0777, such as 0660");
        }

        private static String filled(String value, String name) {
            if (value.isEmpty()) {
                throw new ProgramException(name + "= has no name");
            }
            return value;
        }

        @Override
        public String toString() {
            return "unix:" + path;
        }
    }

    /** A port, of the loop-back address unless a host is named. */
    record Tcp(String host, int port) implements RelayEndpoint {
        static Tcp parse(String text) {
            int colon = text.lastIndexOf(':');
            String host = colon < 0 ? "" : text.substring(0, colon);
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            try {
                int port = Integer.parseInt(text.substring(colon + 1));
                if (port >= 0 && port <= 0xffff) {
                    return new Tcp(host.equals("*") ? "0.0.0.0" : host, port);
                }
            } catch (NumberFormatException e) {
                // told below
            }
            throw wrong("tcp:" + text, "a port is a number from 0 to 65535");
        }

        @Override
        public String toString() {
            return "tcp:" + (host.isEmpty() ? "" : (host.contains(":") ? "[" + host + "]" : host) + ":") + port;
        }
    }

    /** This process's stdin and stdout. */
    record Standard() implements RelayEndpoint {
        @Override
        public String toString() {
            return "-";
        }
    }

    /** A command's, by {@code sh}. */
    record Exec(String command) implements RelayEndpoint {
        @Override
        public String toString() {
            return "exec:" + command;
        }
    }

    /** A service of that name, which is the name of Comch's server, too. */
    record Comch(String name) implements RelayEndpoint {
        @Override
        public String toString() {
            return "comch:" + name;
        }
    }

    /** From, and to. */
    record Pair(RelayEndpoint from, RelayEndpoint to) {
        /** The one that goes over Comch. */
        public Comch service() {
            return from instanceof Comch comch ? comch : (Comch) to;
        }

        /** The other one. */
        public RelayEndpoint local() {
            return from instanceof Comch ? to : from;
        }

        /** Whether its local end is there once: stdin and stdout, or a command that is started here. */
        public boolean isOnce() {
            return local() instanceof Standard || (local() instanceof Exec && !serves());
        }

        /** Whether streams come from the other side. */
        public boolean serves() {
            return from instanceof Comch;
        }

        @Override
        public String toString() {
            return from + " " + to;
        }
    }

    static RelayEndpoint parse(String text) {
        if (text.equals("-")) {
            return new Standard();
        }
        int colon = text.indexOf(':');
        String rest = text.substring(colon + 1);
        return switch (colon < 0 ? "" : text.substring(0, colon)) {
            case "unix" -> Unix.parse(rest);
            case "tcp" -> Tcp.parse(rest);
            case "exec" -> {
                if (rest.isBlank()) {
                    throw wrong(text, "there is no command");
                }
                yield new Exec(rest);
            }
            case "comch" -> {
                if (!rest.matches("[!-~]{1,120}")) {
                    throw wrong(text, "a name has 1 to 120 letters, digits and signs of ASCII, and no space");
                }
                yield new Comch(rest);
            }
            default -> throw wrong(text, "an address is " + FORMS);
        };
    }

    static Pair pair(String from, String to) {
        Pair pair = new Pair(parse(from), parse(to));
        if (pair.from instanceof Comch == pair.to instanceof Comch) {
            throw new ProgramException("\"" + from + " " + to + "\": one of the two, and only one, is comch:NAME");
        }
        if (pair.to instanceof Unix && to.contains(",")) {
            throw new ProgramException(
                    "\"" + to + "\": mode=, user= and group= are for a socket that is made, as FROM");
        }
        if (pair.to instanceof Tcp tcp && tcp.port() == 0) {
            throw wrong(to, "port 0 is for what is listened at, as FROM");
        }
        return pair;
    }

    /** Which pairs there are already, for what cannot be together. */
    final class Together {
        private final Set<String> served = new HashSet<>();
        private final Set<String> opened = new HashSet<>();
        private boolean once;

        /** One more, unless it cannot be with the others. */
        public Pair add(Pair pair) {
            String name = pair.service().name();
            if (pair.serves() ? opened.contains(name) || served.contains(name) : served.contains(name)) {
                throw new ProgramException("comch:" + name + " is there twice: a name stands for one service");
            }
            if (once && pair.isOnce()) {
                throw new ProgramException(pair + ": only one pair can have what there is once");
            }
            (pair.serves() ? served : opened).add(name);
            once |= pair.isOnce();
            return pair;
        }
    }

    /** That of a line of a file; null if the line is empty or begins with #. */
    static @Nullable Pair ofLine(String text) {
        String line = text.strip();
        if (line.isEmpty() || line.startsWith("#")) {
            return null;
        }
        // a command has spaces, and is the last of a line that begins with a name
        String[] parts = line.startsWith("comch:") ? line.split("\\s+", 2) : line.split("\\s+(?=\\S+$)");
        if (parts.length != 2) {
            throw new ProgramException("\"" + line + "\": a line has two addresses, FROM and TO");
        }
        String first = parts[parts[0].startsWith("comch:") ? 1 : 0];
        String[] words = first.split("\\s+");
        if (words.length > 1 && !first.startsWith("exec:")) {
            // of "tcp:1 comch:a extra" and of "comch:a tcp:1 extra"
            String extra = parts[0].startsWith("comch:") ? words[1] : parts[1];
            throw new ProgramException("\"" + extra + "\" is too much: a line has two addresses, FROM and TO");
        }
        return pair(parts[0], parts[1]);
    }

    private static ProgramException wrong(String text, String why) {
        return new ProgramException("\"" + text + "\": " + why);
    }
}
