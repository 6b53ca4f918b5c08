package io.github.comch4j.dpa;

import java.time.Duration;

/**
 * The sizes of a DPA.
 *
 * @param cores how many cores it has ({@code doca_dpa_get_core_num})
 * @param unitsPerCore how many execution units a core has ({@code doca_dpa_get_num_eus_per_core})
 * @param units how many execution units programs can have ({@code doca_dpa_get_total_num_eus_available})
 * @param maxThreads how many threads a launch can have ({@code doca_dpa_get_max_threads_per_kernel})
 * @param maxRunTime how long a kernel may run at a time ({@code doca_dpa_get_kernel_max_run_time})
 */
public record DpaProperties(int cores, int unitsPerCore, int units, int maxThreads, Duration maxRunTime) {}
