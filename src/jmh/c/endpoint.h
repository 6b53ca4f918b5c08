/* A server or a client, and messages on its control path. */
#ifndef BENCH_ENDPOINT_H
#define BENCH_ENDPOINT_H

#include <doca_comch.h>
#include <doca_dev.h>

#include "loop.h"

/* A message of one byte is a signal between the two sides, everything else is payload. */
enum signal { SIGNAL_NONE, SIGNAL_STOP = 'S', SIGNAL_DONE = 'D' };

struct device {
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* the DPU only */
};

struct endpoint {
	struct doca_pe *pe;
	struct doca_comch_server *server; /* one of the two */
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection; /* the newest; NULL before and after it */
	uint32_t num_connections;
	uint32_t remote_consumer; /* the peer's newest consumer, 0: none */
	enum signal signal;       /* the last one received */
	uint64_t sent, completed, again;
	/* A payload message; may send. */
	void (*on_message)(struct endpoint *endpoint, const uint8_t *bytes, uint32_t len);
	void *own; /* of on_message */
};

void device_open_dpu(struct device *device, const struct options *options);
void device_open_host(struct device *device, const struct options *options);
void device_close(struct device *device);

/* `depth`: send tasks, and messages that may wait to be received. */
void server_open(struct endpoint *endpoint, const struct device *device, const char *name, uint32_t depth);
/* Tries until there is a server; waits until it is connected. `pe` NULL: an engine of its own. */
void client_open(struct endpoint *endpoint, const struct device *device, const char *name, uint32_t depth,
		 struct doca_pe *pe);
void endpoint_close(struct endpoint *endpoint);

/* Sends if there is room; SUCCESS or AGAIN. */
doca_error_t endpoint_send(struct endpoint *endpoint, const void *bytes, uint32_t len);
void endpoint_signal(struct endpoint *endpoint, enum signal signal);

#endif
