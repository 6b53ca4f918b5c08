package io.github.comch4j.containers;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.exception.NotFoundException;
import com.github.dockerjava.api.model.Container;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.testcontainers.DockerClientFactory;

/** The Docker engine: whether there is one, and what of it the containers of this suite use. */
final class Docker {
    static final String LABEL = "io.github.comch4j.test";
    private static final Pattern VOLUME = Pattern.compile("comch4j-(\\d+)-\\d+");
    private static final String PUBLIC_IMAGE = "eclipse-temurin:25-jdk";

    private Docker() {}

    /** Tests that are skipped, one by one, where no container can run. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @ExtendWith(Condition.class)
    @interface Needed {}

    /** Decides for each test, so that each is counted. */
    static final class Condition implements ExecutionCondition {
        private static String obstacle;

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
            if (context.getTestMethod().isEmpty()) {
                return ConditionEvaluationResult.enabled("each test is asked");
            }
            String why = obstacle();
            if (!why.isEmpty() && "required".equals(System.getenv("COMCH4J_CONTAINERS"))) {
                throw new IllegalStateException("containers are required here, and " + why);
            }
            return why.isEmpty()
                    ? ConditionEvaluationResult.enabled("there is a Docker engine")
                    : ConditionEvaluationResult.disabled(why);
        }

        static synchronized String obstacle() {
            if (obstacle == null) {
                obstacle = look();
            }
            return obstacle;
        }

        private static String look() {
            String known = System.getenv("COMCH4J_NO_CONTAINERS");
            if (known != null && !known.isBlank()) {
                return known;
            }
            if (!DockerClientFactory.instance().isDockerAvailable()) {
                return "no Docker engine answers";
            }
            sweep();
            try {
                client().inspectImageCmd(image()).exec();
            } catch (NotFoundException e) {
                return "the image " + image()
                        + " is not there: pull it, or let scripts/dev/container-engine.sh find or make one";
            }
            return "";
        }
    }

    static DockerClient client() {
        return DockerClientFactory.instance().client();
    }

    static String image() {
        return setting("COMCH4J_TEST_IMAGE", PUBLIC_IMAGE);
    }

    /** The folder of the JDK to mount; empty if the image has one. */
    static String jdk() {
        return setting("COMCH4J_TEST_JDK", "");
    }

    private static String setting(String variable, String otherwise) {
        String value = System.getenv(variable);
        return value == null || value.isBlank() ? otherwise : value;
    }

    /** What is made here bears the test's process, so that a later run can remove what a killed one has left. */
    static Map<String, String> labels() {
        return Map.of(LABEL, Long.toString(ProcessHandle.current().pid()));
    }

    private static boolean isOrphan(Map<String, String> labels) {
        return isOrphan(Long.parseLong(labels.get(LABEL)));
    }

    /** Of EmulatedContainers: with the process in its name. */
    private static boolean isOrphan(String volume) {
        var name = VOLUME.matcher(volume);
        return name.matches() && isOrphan(Long.parseLong(name.group(1)));
    }

    private static boolean isOrphan(long process) {
        return ProcessHandle.of(process).isEmpty();
    }

    private static void sweep() {
        List<Container> containers = client().listContainersCmd()
                .withShowAll(true)
                .withLabelFilter(List.of(LABEL))
                .exec();
        containers.stream()
                .filter(container -> isOrphan(container.getLabels()))
                .forEach(container -> client().removeContainerCmd(container.getId())
                        .withForce(true)
                        .exec());
        client().listVolumesCmd().exec().getVolumes().stream()
                .filter(volume -> isOrphan(volume.getName()))
                .forEach(volume -> client().removeVolumeCmd(volume.getName()).exec());
    }
}
