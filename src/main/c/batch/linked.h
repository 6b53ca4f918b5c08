/* DOCA's functions for the batch library, for C programs that are linked to DOCA; Java finds them by name. The library
 * itself does not use this. */
#ifndef COMCH4J_BATCH_LINKED_H
#define COMCH4J_BATCH_LINKED_H

#include "batch.h"
#include "layout.h"

/* As comch4j_batch_init, with the functions of the DOCA that the program is linked to. */
static inline uint32_t batch_init_linked(void)
{
	const struct batch_functions functions = {
		.layout = comch4j_batch_layout(),
		.progress = doca_pe_progress,
		.submit = doca_task_submit,
		.status = doca_task_get_status,
		.set_data = doca_buf_set_data,
		.reset_data_len = doca_buf_reset_data_len,
		.get_data_len = doca_buf_get_data_len,
		.send_set_buf = doca_comch_producer_task_send_set_buf,
		.send_set_consumer = doca_comch_producer_task_send_set_consumer_id,
		.send_set_imm = doca_comch_producer_task_send_set_imm_data,
		.receive_set_buf = doca_comch_consumer_task_post_recv_set_buf,
		.receive_producer = doca_comch_consumer_task_post_recv_get_producer_id,
		.receive_imm = doca_comch_consumer_task_post_recv_get_imm_data,
		.receive_imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len,
		.submit_ex = doca_task_submit_ex,
		.flush_tasks = doca_ctx_flush_tasks,
	};
	return comch4j_batch_init(&functions);
}

#endif
