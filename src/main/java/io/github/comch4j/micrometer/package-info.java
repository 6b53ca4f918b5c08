/**
 * The counts of a running program for <a href="https://micrometer.io">Micrometer</a>, and so for Prometheus, OTLP and
 * the other systems that it writes to: {@link io.github.comch4j.micrometer.ComchMetrics}. The only package that needs
 * Micrometer ({@code io.micrometer:micrometer-core}), which programs that use it have on their class or module path.
 */
@NullMarked
package io.github.comch4j.micrometer;

import org.jspecify.annotations.NullMarked;
