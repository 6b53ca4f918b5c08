/* What faults on demand do to a send that is a task.
 *
 * Threads: the one that submits it. */
#ifndef EMU_FAULTY_SEND_H
#define EMU_FAULTY_SEND_H

#include <stdbool.h>

#include "base/task_pool.h"
#include "connection/connection.h"

/* Whether the send goes on; otherwise `answer` is submit's. One that fails has been submitted, and ends in `done`;
 * `broken` is set when its context is to stop by itself after that. connection: NULL if there is none that could
 * break. */
bool device_lets_send(const struct doca_dev *dev, struct doca_comch_connection *connection, struct doca_task *task,
		      struct task_fifo *done, bool *broken, doca_error_t *answer);

#endif
