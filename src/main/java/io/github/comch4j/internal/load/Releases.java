package io.github.comch4j.internal.load;

import io.github.comch4j.LibraryInfo.Generation;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Which DOCA releases have a function, and under which name. */
final class Releases {
    private static final String COMCH = "doca_comch_";
    private static final String CC = "doca_cc_";

    /** What was renamed in 2.8: today's name, and that of 2.7. Same arguments, same meaning. */
    private static final Map<String, String> NAMES_OF_2_7 = Map.of(
            "doca_comch_server_event_connection_status_changed_register", "doca_comch_server_event_connection_register",
            "doca_comch_server_get_device_rep", "doca_comch_server_get_device_repr",
            "doca_comch_consumer_set_dev_max_num_recv", "doca_comch_consumer_set_dev_num_recv",
            "doca_comch_producer_set_dev_max_num_send", "doca_comch_producer_set_dev_num_send");
    /** Without immediate data this one takes two arguments less in 2.6, and in 2.5. */
    private static final String WITH_IMMEDIATE_DATA = "doca_comch_producer_task_send_alloc_init";
    /** What 2.5 named otherwise than 2.6: today's name, and that of 2.5, where a number of tasks is a logarithm. */
    private static final Map<String, String> NAMES_OF_2_5 = Map.of(
            "doca_comch_producer_cap_is_supported", "doca_cc_cap_is_producer_supported",
            "doca_comch_consumer_cap_is_supported", "doca_cc_cap_is_consumer_supported",
            "doca_comch_producer_cap_get_max_num_tasks", "doca_cc_producer_cap_get_max_log_num_tasks",
            "doca_comch_consumer_cap_get_max_num_tasks", "doca_cc_consumer_cap_get_max_log_num_tasks");
    /** In the names of what takes other types in 2.5: {@code size_t}, and the logarithm of a number of tasks. */
    private static final List<String> DIFFERENT_IN_2_5 =
            List.of("_task_send_alloc_init", "_set_conf", "_set_max_msg_size", "_set_recv_queue_size");
    /** In the names of what doca_cc of 2.6 has not. */
    private static final List<String> ONLY_IN_2_5 =
            List.of("_send_task_", "_post_recv_task_", "doca_cc_cap_is_", "_max_log_num_tasks");
    /** In the names of what Comch has since 2.7, and not in 2.6. */
    private static final List<String> LACKING_IN_2_6 = List.of(
            "_imm_data",
            "_completion",
            "_dpa_",
            "_msgq_",
            "_buf_list_len",
            "_dev_max_num_",
            "doca_comch_server_disconnect");
    /** New between 2.7 and 3.0. */
    private static final Set<String> AFTER_2_7 = Set.of(
            "doca_comch_consumer_completion_set_imm_data_len", "doca_comch_consumer_completion_get_imm_data_len");
    /** Core functions that 2.6 has and 2.5 had not yet. */
    private static final Set<String> SINCE_2_6 = Set.of(
            "doca_devinfo_get_active_rate", "doca_log_backend_create_with_buf", "doca_log_backend_create_with_buf_sdk");
    /** Core functions of 3.0 that 2.6 did not have yet. */
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
            "doca_devinfo_get_vhca_id",
            "doca_devinfo_rep_get_iface_name",
            "doca_devinfo_rep_get_vhca_id",
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

    /**
     * The name that a function of Comch would have in older libraries of a generation, if it has the same form of
     * arguments there; whether they have it, is another question.
     */
    static Optional<String> formerName(String function, Generation generation) {
        String of27 = NAMES_OF_2_7.getOrDefault(function, function);
        return switch (generation) {
            case COMCH -> Optional.of(of27);
            case CC_2_6 -> Optional.of(withOlderPrefix(of27)).filter(name -> !function.equals(WITH_IMMEDIATE_DATA));
            case CC_2_5 ->
                Optional.of(NAMES_OF_2_5
                                .getOrDefault(function, withOlderPrefix(of27))
                                .replace("_task_send_", "_send_task_")
                                .replace("_task_post_recv_", "_post_recv_task_"))
                        .filter(name -> DIFFERENT_IN_2_5.stream().noneMatch(function::contains));
        };
    }

    static boolean isComch(String function) {
        return function.startsWith(COMCH);
    }

    private static String withOlderPrefix(String function) {
        return isComch(function) ? CC + function.substring(COMCH.length()) : function;
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
            return "DOCA 3.0 has and 2.7 does not";
        }
        if (function.startsWith("doca_comm_channel_")) {
            return "DOCA has from 1.5 to 2.8, in libdoca_comm_channel.so";
        }
        if (function.startsWith("doca_dma_")) {
            return "DOCA has from 2.5 on, in libdoca_dma.so";
        }
        if (function.startsWith("doca_dpa_")) {
            return "DOCA 3.0 has, in libdoca_dpa.so";
        }
        if (isComch(function)) {
            return "DOCA has since 2.7"
                    + (LACKING_IN_2_6.stream().anyMatch(function::contains)
                            ? ""
                            : ", and 2.6 as " + withOlderPrefix(function));
        }
        if (function.startsWith(CC)) {
            return "DOCA " + (ONLY_IN_2_5.stream().anyMatch(function::contains) ? "2.5" : "2.6")
                    + " has, where Comch is called doca_cc";
        }
        if (SINCE_2_6.contains(function)) {
            return "DOCA has since 2.6";
        }
        if (SINCE_3_0.contains(function)) {
            return "DOCA 3.0 has and 2.6 does not";
        }
        return "DOCA 3.0 has";
    }
}
