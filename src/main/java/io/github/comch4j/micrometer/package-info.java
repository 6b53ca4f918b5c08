/**
 * Meters for <a href="https://micrometer.io">Micrometer</a>, and through it for Prometheus, OTLP and other monitoring
 * systems: {@link io.github.comch4j.micrometer.ComchMetrics}. Only this package needs Micrometer
 * ({@code io.micrometer:micrometer-core}), which the program must have on its class path or module path.
 */
@NullMarked
package io.github.comch4j.micrometer;

import org.jspecify.annotations.NullMarked;
