package io.github.comch4j.dpa;

import java.time.Duration;

/**
 * The sizes of a DPA.
 *
 * @param cores the number of cores ({@code doca_dpa_get_core_num})
 * @param unitsPerCore the number of execution units per core ({@code doca_dpa_get_num_eus_per_core})
 * @param units the number of execution units available to programs ({@code doca_dpa_get_total_num_eus_available})
 * @param maxThreads the most threads of a launch ({@code doca_dpa_get_max_threads_per_kernel})
 * @param maxRunTime the longest time that a kernel may run at a time ({@code doca_dpa_get_kernel_max_run_time})
 */
public record DpaProperties(int cores, int unitsPerCore, int units, int maxThreads, Duration maxRunTime) {}
