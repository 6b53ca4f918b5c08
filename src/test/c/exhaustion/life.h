/* One end of a connection from its creation to its end, step by step, so that any step may fail: the end of a
 * program that looks at each result, gives up when something fails, and cleans up. */
#ifndef LIFE_H
#define LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_mmap.h"
#include "doca_pe.h"

#define REQUIRE(condition) ((condition) ? (void)0 : life_violated(__FILE__, __LINE__, #condition))

_Noreturn void life_violated(const char *file, int line, const char *what);

struct machine {
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep;
};

void machine_open(struct machine *machine);
void machine_close(struct machine *machine);

enum outcome { LIFE_GOES_ON, LIFE_COMPLETE, LIFE_FAILED };

#define LIFE_BYTES (100u << 10) /* more than goes without a direct write or the pipeline */

struct life {
	bool is_server;
	struct doca_dev *dev;
	int phase;
	int slept_in;          /* the phase */
	const char *failed_at; /* the call that failed; NULL: the peer or the connection did */
	struct doca_pe *pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection;
	bool disconnected;
	unsigned messages;
	struct doca_mmap *map;
	struct doca_buf_inventory *inventory;
	struct doca_buf *from, *to;
	struct doca_comch_producer *producer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer_task_send *send;
	uint32_t peer_consumer; /* its id; 0: none yet */
	bool sent, received;
	uint8_t *bytes; /* twice LIFE_BYTES */
};

void life_begin(struct life *life, const struct machine *machine, bool is_server, const char *name);

/* Does what can be done now; a result that DOCA does not document ends the test. */
enum outcome life_step(struct life *life);

/* Stops and releases whatever there is. While it goes on, `peer` (or NULL) is driven as well. */
void life_end(struct life *life, struct life *peer);

#endif
