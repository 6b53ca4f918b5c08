package io.github.comch4j;

import io.github.comch4j.comch.ComchClient;
import io.github.comch4j.comch.ComchServer;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The other process of {@link ClassLoadersIT}: applications with the library in class loaders of their own. Arguments:
 * how many, whether one ends before the next begins, and the class path of each.
 */
public final class Deployments {
    private Deployments() {}

    public static void main(String[] arguments) throws Exception {
        int count = Integer.parseInt(arguments[0]);
        boolean kept = arguments[1].equals("keep");
        URL[] urls = Stream.of(arguments[2].split(java.io.File.pathSeparator))
                .map(Deployments::url)
                .toArray(URL[]::new);
        List<URLClassLoader> running = new ArrayList<>();
        List<WeakReference<ClassLoader>> deployed = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
            deployed.add(new WeakReference<>(loader));
            loader.loadClass(Application.class.getName()).getMethod("run").invoke(null);
            if (kept) {
                running.add(loader);
            } else {
                loader.close();
                loader = null;
                collect(deployed);
            }
        }
        System.out.println(
                "loaders " + deployed.stream().filter(one -> one.get() != null).count());
        System.out.println("mappings " + mappings());
        for (URLClassLoader loader : running) {
            loader.close();
        }
    }

    /** The library, as an application uses it. */
    public static final class Application {
        private Application() {}

        /** Connects, sends, and closes everything. */
        public static void run() {
            try (Machine machine = new Machine()) {
                int[] came = new int[1];
                ComchServer server = machine.server()
                        .onMessage((connection, message) -> came[0]++)
                        .start();
                ComchClient client = machine.client().connect(Machine.PATIENCE);
                client.connection().send(new byte[10]);
                machine.until("the message", () -> came[0] == 1);
                System.out.println("came " + server.name().length());
            }
        }
    }

    private static URL url(String file) {
        try {
            return Path.of(file).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new AssertionError(e);
        }
    }

    /** Until all are gone, or for as long as one may take that is on its way. */
    private static void collect(List<WeakReference<ClassLoader>> deployed) throws InterruptedException, IOException {
        for (int attempt = 0; attempt < 20; attempt++) {
            System.gc();
            if (deployed.stream().allMatch(one -> one.get() == null) && mappings() == 0) {
                return;
            }
            Thread.sleep(50);
        }
    }

    private static long mappings() throws IOException {
        try (Stream<String> maps =
                Files.lines(Path.of("/proc/self/maps"), java.nio.charset.StandardCharsets.ISO_8859_1)) {
            return maps.filter(line -> line.matches(".*/lib(doca|comch4j)_.*")).count();
        }
    }
}
