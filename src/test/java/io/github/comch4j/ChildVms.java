package io.github.comch4j;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The programs that a test has started, each in a VM of its own; they are ended after it. */
public final class ChildVms implements AfterEachCallback {
    private final List<ChildVm> all = new ArrayList<>();

    public ChildVm start(Path folder, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException {
        return start(List.of(), folder, environment, program, arguments);
    }

    /** By a command that runs another one, such as {@code setpriv}. */
    public ChildVm start(
            List<String> as, Path folder, Map<String, String> environment, Class<?> program, String... arguments)
            throws IOException {
        ChildVm child = new ChildVm(folder, as, environment, program, arguments);
        all.add(child);
        return child;
    }

    /** SIGKILL for all that there are. */
    public void closeAll() {
        all.forEach(ChildVm::close);
        all.clear();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        closeAll();
    }
}
