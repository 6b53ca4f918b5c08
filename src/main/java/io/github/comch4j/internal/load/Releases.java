package io.github.comch4j.internal.load;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which DOCA releases have a function, and under which name. */
final class Releases {
    /** What was renamed in 2.8: today's name, and that of 2.7. Same arguments, same meaning. */
    private static final Map<String, String> NAMES_OF_2_7 = Map.of(
            "doca_comch_server_event_connection_status_changed_register", "doca_comch_server_event_connection_register",
            "doca_comch_server_get_device_rep", "doca_comch_server_get_device_repr",
            "doca_comch_consumer_set_dev_max_num_recv", "doca_comch_consumer_set_dev_num_recv",
            "doca_comch_producer_set_dev_max_num_send", "doca_comch_producer_set_dev_num_send");
    /** New between 2.7 and 3.0. */
    private static final Set<String> AFTER_2_7 = Set.of(
            "doca_comch_consumer_completion_set_imm_data_len", "doca_comch_consumer_completion_get_imm_data_len");
    /** Core functions of 3.0 that 2.5 did not have yet. */
    private static final Set<String> SINCE_3_0 = Set.of(
            "doca_buf_chain_list_tail",
            "doca_buf_inventory_expand",
            "doca_buf_set_data_len",
            "doca_ctx_cap_get_num_completion_vectors",
            "doca_ctx_flush_tasks",
            "doca_ctx_set_completion_vector",
            "doca_dev_accelerate_resource_reclaim",
            "doca_devinfo_cap_is_accelerate_resource_reclaim_supported",
            "doca_devinfo_cap_is_notification_moderation_supported",
            "doca_devinfo_get_active_rate",
            "doca_devinfo_get_vhca_id",
            "doca_devinfo_rep_get_iface_name",
            "doca_devinfo_rep_get_vhca_id",
            "doca_log_backend_create_with_buf",
            "doca_log_backend_create_with_buf_sdk",
            "doca_mmap_dev_get_dpa_handle",
            "doca_mmap_enable_thread_safety",
            "doca_mmap_set_dpa_memrange",
            "doca_pe_set_event_mode",
            "doca_task_batch_free",
            "doca_task_batch_get_ctx",
            "doca_task_batch_get_ctx_user_data",
            "doca_task_batch_get_status",
            "doca_task_batch_get_tasks_num",
            "doca_task_batch_get_user_data",
            "doca_task_batch_set_user_data",
            "doca_task_batch_submit",
            "doca_task_batch_try_submit",
            "doca_task_submit_ex");

    private Releases() {}

    /** The name that an older release has for a function, if it is another one. */
    static Optional<String> formerName(String function) {
        return Optional.ofNullable(NAMES_OF_2_7.get(function));
    }

    /** Continues "…, which". */
    static String having(String function) {
        if (NAMES_OF_2_7.containsKey(function)) {
            return "DOCA has since 2.8, and 2.7 as " + NAMES_OF_2_7.get(function);
        }
        if (AFTER_2_7.contains(function)) {
            return "DOCA 3.0 has and 2.7 has not";
        }
        if (function.startsWith("doca_comch_")) {
            return "DOCA has since 2.7, where Comch got its name";
        }
        if (SINCE_3_0.contains(function)) {
            return "DOCA 3.0 has and 2.5 has not";
        }
        return "DOCA 3.0 has";
    }
}
