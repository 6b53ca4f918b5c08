package io.github.comch4j.internal.load;

import static java.util.Map.entry;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** Which DOCA releases have a function, and under which name. */
final class Releases {
    /** What was renamed in 2.8: today's name, and that of 2.7. Same arguments, same meaning. */
    private static final Map<String, String> NAMES_OF_2_7 = Map.of(
            "doca_comch_server_event_connection_status_changed_register", "doca_comch_server_event_connection_register",
            "doca_comch_server_get_device_rep", "doca_comch_server_get_device_repr",
            "doca_comch_consumer_set_dev_max_num_recv", "doca_comch_consumer_set_dev_num_recv",
            "doca_comch_producer_set_dev_max_num_send", "doca_comch_producer_set_dev_num_send");
    /**
     * Functions of {@code doca_comch} that {@code doca_cc}, in 2.5 and 2.6, has with another name and arguments of the
     * same form: those that are called by a handle. The others are called through the bindings of {@code doca_cc}.
     */
    private static final Map<String, String> NAMES_OF_2_5 = Map.ofEntries(
            entry(
                    "doca_comch_server_event_connection_status_changed_register",
                    "doca_cc_server_event_connection_register"),
            entry("doca_comch_server_get_server_ctx", "doca_cc_server_get_server_ctx"),
            entry("doca_comch_client_get_client_ctx", "doca_cc_client_get_client_ctx"),
            entry("doca_comch_connection_get_user_data", "doca_cc_connection_get_user_data"),
            entry("doca_comch_connection_set_user_data", "doca_cc_connection_set_user_data"),
            entry("doca_comch_task_send_as_task", "doca_cc_send_task_as_task"),
            entry("doca_comch_producer_task_send_set_buf", "doca_cc_producer_send_task_set_buf"),
            entry("doca_comch_producer_task_send_set_consumer_id", "doca_cc_producer_send_task_set_consumer_id"),
            entry("doca_comch_producer_task_send_as_task", "doca_cc_producer_send_task_as_task"),
            entry("doca_comch_consumer_task_post_recv_alloc_init", "doca_cc_consumer_post_recv_task_alloc_init"),
            entry("doca_comch_consumer_task_post_recv_set_buf", "doca_cc_consumer_post_recv_task_set_buf"),
            entry("doca_comch_consumer_task_post_recv_as_task", "doca_cc_consumer_post_recv_task_as_task"));
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

    /** What came with a release after 3.0. */
    private static final Map<String, String> AFTER_3_0 = Map.of(
            "doca_devinfo_get_pci_func_type", "3.1",
            "doca_devinfo_get_sf_index", "3.1",
            "doca_buf_inventory_buf_reuse_by_addr", "3.2",
            "doca_buf_inventory_buf_reuse_by_data", "3.2",
            "doca_mmap_get_mkey", "3.2",
            "doca_dpa_dev_completion_element_get_wqe_counter", "3.3",
            "doca_dpa_dev_completion_element_get_timestamp", "3.3");

    private Releases() {}

    /** The names that older releases have for a function, with the same form of arguments; the newest first. */
    static Stream<String> formerNames(String function) {
        return Stream.of(NAMES_OF_2_7, NAMES_OF_2_5)
                .map(names -> names.get(function))
                .filter(Objects::nonNull);
    }

    /** Continues "…, which". */
    static String having(String function) {
        if (NAMES_OF_2_7.containsKey(function)) {
            return "DOCA has since 2.8, and 2.7 as " + NAMES_OF_2_7.get(function);
        }
        if (AFTER_3_0.containsKey(function)) {
            return "DOCA has since " + AFTER_3_0.get(function);
        }
        if (AFTER_2_7.contains(function)) {
            return "DOCA 3.0 has and 2.7 has not";
        }
        if (function.startsWith("doca_comm_channel_")) {
            return "DOCA has from 1.5 to 2.8, in libdoca_comm_channel.so";
        }
        if (function.startsWith("doca_dpa_")) {
            return "DOCA 3.0 has, in libdoca_dpa.so";
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
