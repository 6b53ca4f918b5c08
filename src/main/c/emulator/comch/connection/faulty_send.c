#include "connection/faulty_send.h"

#include "base/faults.h"
#include "topology/dev.h"

bool device_lets_send(const struct doca_dev *dev, struct doca_comch_connection *connection, struct doca_task *task,
		      struct task_fifo *done, bool *broken, doca_error_t *answer)
{
	enum send_fault fault = fault_of_send(emu_dev_folder(dev), answer);
	/* A strict machine knows no failure that leaves the context running. */
	if (fault == SEND_FAILS && emu_dev_strict(dev))
		fault = SEND_BREAKS;
	switch (fault) {
	case SEND_BREAKS:
		*broken = true;
		if (connection != NULL)
			connection_fail(connection);
		/* fall through */
	case SEND_FAILS:
		task_sent_off(task);
		task_fifo_end(done, task, *answer);
		*answer = DOCA_SUCCESS;
		return false;
	case SEND_DROPS_CONNECTION:
		if (connection == NULL)
			return true;
		connection_cut(connection);
		return false;
	case SEND_AGAIN:
		return false;
	case SEND_GOES_ON:
	default:
		return true;
	}
}
