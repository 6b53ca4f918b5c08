package io.github.comch4j.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import java.util.stream.Stream;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.EventType;
import org.junit.platform.testkit.engine.Events;

/** What came of tests that were run, two at a time, as those of a project are; some of them are to fail. */
final class Outcome {
    private final Events events;

    private Outcome(Events events) {
        this.events = events;
    }

    static Outcome of(Class<?> tests) {
        return new Outcome(EngineTestKit.engine("junit-jupiter")
                .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
                .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
                .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "2")
                .selectors(selectClass(tests))
                .execute()
                .allEvents());
    }

    void assertPassed(int tests) {
        assertThat(failures()).isEmpty();
        assertThat(passed()).isEqualTo(tests);
    }

    long passed() {
        return events.succeeded()
                .filter(event -> event.getTestDescriptor().isTest())
                .count();
    }

    /** Of tests, and of classes. */
    List<Throwable> failures() {
        return events.stream()
                .filter(event -> event.getType() == EventType.FINISHED)
                .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                .filter(result -> result.getStatus() != TestExecutionResult.Status.SUCCESSFUL)
                .map(result -> result.getThrowable().orElseThrow())
                .toList();
    }

    /** The texts of the only failure, and of what is suppressed in it. */
    List<String> texts() {
        assertThat(failures()).hasSize(1);
        Throwable failure = failures().getFirst();
        return Stream.concat(Stream.of(failure), Stream.of(failure.getSuppressed()))
                .map(Throwable::getMessage)
                .toList();
    }

    /** What is in the report beside successes and failures. */
    List<String> reported() {
        return events.reportingEntryPublished()
                .map(event -> event.getRequiredPayload(ReportEntry.class))
                .flatMap(entry -> entry.getKeyValuePairs().entrySet().stream())
                .map(entry -> entry.getKey() + ": " + entry.getValue())
                .toList();
    }
}
