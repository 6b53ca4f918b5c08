/* Capabilities. */
#include "cc/cc.h"
#include "numbers.h"

typedef doca_error_t (*comch_question)(const struct doca_devinfo *devinfo, uint32_t *value);

static doca_error_t ask(comch_question question, const struct doca_devinfo *devinfo, size_t *out)
{
	uint32_t value = 0;
	return cc_widen(question(devinfo, &value), &value, out);
}

/* The largest power of two that the device's limit has room for. */
static doca_error_t ask_log(comch_question question, const struct doca_devinfo *devinfo, size_t *out)
{
	uint32_t limit = 0;
	doca_error_t result = question(devinfo, &limit);
	uint32_t log = 0;
	while (log < 31 && limit >> (log + 1) != 0)
		log++;
	return cc_widen(result, &log, out);
}

doca_error_t doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, size_t *size)
{
	return ask(doca_comch_cap_get_max_msg_size, devinfo, size);
}

doca_error_t doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, size_t *size)
{
	return ask(doca_comch_cap_get_max_recv_queue_size, devinfo, size);
}

doca_error_t doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, size_t *num_clients)
{
	return ask(doca_comch_cap_get_max_clients, devinfo, num_clients);
}

doca_error_t doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, size_t *max_send_tasks)
{
	uint32_t limit = 0;
	doca_error_t result = doca_comch_cap_get_max_send_tasks(devinfo, &limit);
	if (limit > UINT32_C(1) << CC_MAX_LOG_SEND_TASKS)
		limit = UINT32_C(1) << CC_MAX_LOG_SEND_TASKS;
	return cc_widen(result, &limit, max_send_tasks);
}

doca_error_t doca_cc_consumer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks)
{
	return ask_log(doca_comch_consumer_cap_get_max_num_tasks, devinfo, max_log_num_tasks);
}

doca_error_t doca_cc_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, size_t *max_buf_size)
{
	return ask(doca_comch_consumer_cap_get_max_buf_size, devinfo, max_buf_size);
}

doca_error_t doca_cc_producer_cap_get_max_log_num_tasks(const struct doca_devinfo *devinfo, size_t *max_log_num_tasks)
{
	return ask_log(doca_comch_producer_cap_get_max_num_tasks, devinfo, max_log_num_tasks);
}

doca_error_t doca_cc_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, size_t *max_buf_size)
{
	return ask(doca_comch_producer_cap_get_max_buf_size, devinfo, max_buf_size);
}
