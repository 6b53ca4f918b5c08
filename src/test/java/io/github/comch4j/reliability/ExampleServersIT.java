package io.github.comch4j.reliability;

import io.github.comch4j.ExampleServersTest;
import org.junit.jupiter.api.Tag;

/** As {@link ExampleServersTest}, in the stage {@code reliability}. */
@Tag("reliability")
class ExampleServersIT extends ExampleServersTest {}
