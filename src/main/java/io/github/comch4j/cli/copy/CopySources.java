package io.github.comch4j.cli.copy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What is to be sent, and the folders that are open for it. */
final class CopySources implements AutoCloseable {
    /** Something in a folder, and what the other end calls it. */
    record Source(OpenFolder parent, String name, String as) {}

    final List<Source> all = new ArrayList<>();
    private final List<OpenFolder> opened = new ArrayList<>();

    /** Takes the folder. */
    void add(OpenFolder parent, String name, String as) {
        opened.add(parent);
        all.add(new Source(parent, name, as));
    }

    /** Everything in a folder, which it takes. */
    void addContents(OpenFolder folder) throws IOException {
        opened.add(folder);
        for (String each : folder.names()) {
            all.add(new Source(folder, each, each));
        }
    }

    @Override
    public void close() {
        opened.forEach(OpenFolder::close);
    }
}
