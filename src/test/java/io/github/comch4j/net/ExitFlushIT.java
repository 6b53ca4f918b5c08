package io.github.comch4j.net;

import io.github.comch4j.ChildVm;
import io.github.comch4j.ChildVms;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What is registered for the end of the JVM keeps the class loader, so it is there only while it has work to do. */
class ExitFlushIT {
    @RegisterExtension
    private final ChildVms children = new ChildVms();

    @TempDir
    private Path folder;

    /** In a process of its own, where nobody else has sockets. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) {
            Object one = new Object();
            Object other = new Object();
            for (int round = 0; round < 2; round++) {
                ExitFlush.add(one, () -> ImmediateEventExecutor.INSTANCE.newSucceededFuture(null));
                ExitFlush.add(other, () -> ImmediateEventExecutor.INSTANCE.newSucceededFuture(null));
                Thread hook = ExitFlush.hook;
                ExitFlush.remove(one);
                boolean stays = hook != null && ExitFlush.hook == hook;
                ExitFlush.remove(other);
                System.out.println(
                        "stays " + stays + ", goes " + !Runtime.getRuntime().removeShutdownHook(hook));
            }
        }
    }

    @Test
    void theHookGoesWithTheLastOwner() throws Exception {
        ChildVm program = children.start(folder, Map.of(), Program.class);
        program.assertSuccess();
        program.awaitOutput("stays true, goes true\nstays true, goes true\n");
    }
}
