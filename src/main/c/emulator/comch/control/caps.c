/* Capabilities: what the emulated hardware reports, and enforces. */
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "readings.h"
#include "topology/dev.h"

static doca_error_t report(const struct doca_devinfo *devinfo, uint32_t limit, uint32_t *value)
{
	if (devinfo == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*value = limit;
	return DOCA_SUCCESS;
}

static doca_error_t report_of(enum emu_capability capability, const struct doca_devinfo *devinfo, uint32_t limit,
			      uint32_t *value)
{
	if (devinfo != NULL && value != NULL && !emu_devinfo_can(devinfo, capability))
		return DOCA_ERROR_NOT_SUPPORTED;
	return report(devinfo, limit, value);
}

static doca_error_t supported(const struct doca_devinfo *devinfo, enum emu_capability capability)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_can(devinfo, capability) ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

/* Servers live on the DPU, clients on the host. */
static doca_error_t supported_on(const struct doca_devinfo *devinfo, bool dpu)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return emu_devinfo_is_dpu(devinfo) == dpu ? supported(devinfo, EMU_CAN_COMCH) : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return supported_on(devinfo, true);
}

doca_error_t doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return supported_on(devinfo, false);
}

doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return supported(devinfo, EMU_CAN_CONSUME);
}

doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo)
{
	return supported(devinfo, EMU_CAN_PRODUCE);
}

doca_error_t doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo, uint32_t *max_name_len)
{
	return report(devinfo, emu_devinfo_limits(devinfo)->max_name_len, max_name_len);
}

doca_error_t doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return report(devinfo, emu_devinfo_limits(devinfo)->max_msg_size, size);
}

doca_error_t doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return report(devinfo, emu_devinfo_limits(devinfo)->max_recv_queue_size, size);
}

doca_error_t doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num_clients)
{
	return report(devinfo, emu_devinfo_limits(devinfo)->max_clients, num_clients);
}

doca_error_t doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	return report(devinfo, emu_devinfo_limits(devinfo)->max_send_tasks, max_send_tasks);
}

doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	return report_of(EMU_CAN_CONSUME, devinfo, emu_devinfo_limits(devinfo)->max_tasks, max_num_tasks);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	return report_of(EMU_CAN_CONSUME, devinfo, emu_devinfo_limits(devinfo)->max_buf_size, max_buf_size);
}

doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	return report_of(EMU_CAN_CONSUME, devinfo, READING_POST_LIST_LEN, max_buf_list_len);
}

doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo, uint32_t *max_consumers)
{
	return report_of(EMU_CAN_CONSUME, devinfo, emu_devinfo_limits(devinfo)->max_consumers, max_consumers);
}

doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_imm_data_len)
{
	return report_of(EMU_CAN_CONSUME, devinfo, emu_devinfo_limits(devinfo)->max_imm_data_len, max_imm_data_len);
}

doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo, uint32_t *max_num_tasks)
{
	return report_of(EMU_CAN_PRODUCE, devinfo, emu_devinfo_limits(devinfo)->max_tasks, max_num_tasks);
}

doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo, uint32_t *max_buf_size)
{
	return report_of(EMU_CAN_PRODUCE, devinfo, emu_devinfo_limits(devinfo)->max_buf_size, max_buf_size);
}

doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
							  uint32_t *max_buf_list_len)
{
	return report_of(EMU_CAN_PRODUCE, devinfo, emu_devinfo_limits(devinfo)->max_buf_list_len, max_buf_list_len);
}

doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo, uint32_t *max_producers)
{
	return report_of(EMU_CAN_PRODUCE, devinfo, emu_devinfo_limits(devinfo)->max_producers, max_producers);
}
