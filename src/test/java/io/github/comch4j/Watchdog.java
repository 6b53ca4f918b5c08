package io.github.comch4j;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Ends the VM when a test takes several times as long as its {@link Timeout}, and shows what all threads were at. JUnit
 * only interrupts the test's thread: one that has cleared that, or hangs in its constructor or in what is closed behind
 * it, goes on for ever. Tests in threads of their own are no way out, as an engine belongs to the thread that made it.
 *
 * <p>JUnit finds this by {@code META-INF/services}.
 */
public final class Watchdog implements TestExecutionListener {
    private static final int TIMES = 3;

    /** Of a test that has no {@link Timeout}. */
    private static final Duration USUAL = Duration.ofMinutes(5);

    /** Tests whose length the caller chooses. */
    private static final Set<String> ENDLESS = Set.of("reliability", "matrix");

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("watchdog").factory());
    private final Map<String, Future<?>> running = new ConcurrentHashMap<>();
    private final PrintStream out;
    private final Runnable end;

    public Watchdog() {
        this(
                new PrintStream(new FileOutputStream(FileDescriptor.err)),
                () -> Runtime.getRuntime().halt(1));
    }

    Watchdog(PrintStream out, Runnable end) {
        this.out = out;
        this.end = end;
    }

    @Override
    public void executionStarted(TestIdentifier test) {
        if (test.isTest() && test.getTags().stream().noneMatch(tag -> ENDLESS.contains(tag.getName()))) {
            Duration limit = limit(test).multipliedBy(TIMES);
            running.put(
                    test.getUniqueId(),
                    timer.schedule(() -> bite(test, limit), limit.toMillis(), TimeUnit.MILLISECONDS));
        }
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        Future<?> scheduled = running.remove(test.getUniqueId());
        if (scheduled != null) {
            scheduled.cancel(false);
        }
    }

    private static Duration limit(TestIdentifier test) {
        return test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .flatMap(source -> Stream.<AnnotatedElement>of(source.getJavaMethod(), source.getJavaClass())
                        .map(element -> AnnotationSupport.findAnnotation(element, Timeout.class))
                        .flatMap(Optional::stream)
                        .findFirst())
                .map(timeout -> Duration.of(timeout.value(), timeout.unit().toChronoUnit()))
                .orElse(USUAL);
    }

    private void bite(TestIdentifier test, Duration limit) {
        out.println("the VM is ended: " + test.getUniqueId() + " has not ended in " + limit.toSeconds() + " s");
        try {
            Path file = Files.createTempDirectory("watchdog").resolve("threads");
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
            Files.readAllLines(file).forEach(out::println);
            Files.delete(file);
            Files.delete(file.getParent());
        } catch (IOException e) {
            out.println(e);
        } finally {
            out.flush();
            end.run();
        }
    }
}
