package io.github.comch4j.containers;

import io.github.comch4j.testing.EmulatedContainers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The containers of a test, removed after it. A failure of one is often another one's fault: then what each has written
 * is printed.
 */
final class Boxes implements AfterEachCallback {
    private final List<Box> boxes = new ArrayList<>();
    private EmulatedContainers machine;

    /** Removes this after the containers. */
    EmulatedContainers share(EmulatedContainers shared) {
        machine = shared;
        return shared;
    }

    Box start(Box.Plan plan) {
        Box box = plan.start();
        boxes.add(box);
        return box;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        if (context.getExecutionException().isPresent()) {
            boxes.forEach(box -> System.out.println(
                    "--- " + context.getDisplayName() + ": " + box + " has written\n" + box.output()));
        }
        boxes.forEach(Box::close);
        if (machine != null) {
            machine.close();
        }
    }
}
