/* What the tests of libdoca_comch share: a private fabric, devices, servers and clients that record what they are
 * told, producers and consumers with their memory, and loops that fail instead of hanging.
 *
 * Checks here end the program (CHECK), because they also run in threads and in child processes, where cmocka's
 * assertions do not work. */
#ifndef TEST_HARNESS_H
#define TEST_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_error.h"
#include "doca_mmap.h"
#include "doca_pe.h"

/* What the older releases answer otherwise: over_cc.h has theirs. */
#ifndef TEST_OVER_CC_H
#define START_UNCONFIGURED DOCA_ERROR_INVALID_VALUE
#define DESTROYED_NULL DOCA_ERROR_INVALID_VALUE
#define DEFAULT_MAX_MSG_SIZE 4080
#define DEFAULT_RECV_QUEUE_SIZE 64
#endif

#define CHECK(condition) ((condition) ? (void)0 : harness_fail(__FILE__, __LINE__, #condition))
#define OK(call) harness_expect(__FILE__, __LINE__, #call, (call), DOCA_SUCCESS)
#define GIVES(error, call) harness_expect(__FILE__, __LINE__, #call, (call), (error))

/* Drives the engines until `condition` holds; a generous deadline tells a hang from a slow machine. With
 * COMCH4J_TEST_ASLEEP in the environment it sleeps on their descriptors while they have nothing to do. */
#define UNTIL(condition, ...)                                                                                          \
	do {                                                                                                           \
		struct doca_pe *const until_pes[] = {__VA_ARGS__};                                                     \
		int64_t until_deadline = harness_deadline();                                                           \
		while (!(condition)) {                                                                                 \
			harness_in_time(until_deadline, __FILE__, __LINE__, #condition);                               \
			harness_drive_all(until_pes, sizeof(until_pes) / sizeof(until_pes[0]));                        \
		}                                                                                                      \
	} while (0)

_Noreturn void harness_fail(const char *file, int line, const char *what);
void harness_expect(const char *file, int line, const char *call, doca_error_t got, doca_error_t wanted);
int64_t harness_deadline(void);
void harness_in_time(int64_t deadline, const char *file, int line, const char *what);
void harness_drive_all(struct doca_pe *const *pes, size_t num);

/* ---- sleeping on an engine's descriptor ---- */

/* From here on engines of this process sleep until they are woken, for as long as that takes: a wake-up that is lost
 * is a hang. */
void harness_sleep_for_ever(void);
int handle_of(struct doca_pe *pe);
/* Arms the engine: whether its descriptor is readable at once. */
bool is_kept_awake(struct doca_pe *pe);
/* Arms the engine, sleeps on its descriptor and clears it; fails when nothing wakes it. */
void harness_sleep(struct doca_pe *pe);
/* Progresses the engine and sleeps while it has nothing to do, until `condition` holds. */
#define SLEEP_UNTIL(condition, pe)                                                                                     \
	do {                                                                                                           \
		int64_t sleep_deadline = harness_deadline();                                                           \
		while (!(condition)) {                                                                                 \
			harness_in_time(sleep_deadline, __FILE__, __LINE__, #condition);                               \
			if (!drive(pe))                                                                                \
				harness_sleep(pe);                                                                     \
		}                                                                                                      \
	} while (0)

/* One progress, with the checks that hold for every call: at most one callback, and 1 if there was one. */
uint8_t drive(struct doca_pe *pe);
/* Progress until the engine has nothing more to say for a while. */
void settle(struct doca_pe *pe, struct doca_pe *other);

/* ---- the fabric: a group's setup and teardown ---- */

int fabric_up(void **state);
int fabric_down(void **state);

struct devices {
	struct doca_dev *dpu, *host, *host2;
	struct doca_dev_rep *rep, *rep2;
};

/* The device with this address; of a list, which it destroys. */
struct doca_dev *open_device(const char *pci);
struct doca_dev *open_listed(struct doca_devinfo **list, uint32_t num, const char *pci);

void devices_open(struct devices *devices);
/* Only the side of this process: host, or the DPU. */
void devices_open_dpu(struct devices *devices);
void devices_open_host(struct devices *devices);
void devices_close(struct devices *devices);

/* ---- what callbacks have been told ---- */

enum happening {
	STATE,        /* a: previous, b: next */
	CONNECTED,    /* a: successful */
	DISCONNECTED, /* a: successful */
	MESSAGE,      /* a: length; bytes: a copy */
	SENT,         /* a: status, b: task user data */
	SEND_FAILED,
	CONSUMER_NEW, /* a: id */
	CONSUMER_EXPIRED,
	RECEIVED, /* a: status, b: task user data */
	RECEIVE_FAILED,
};

struct happened {
	enum happening what;
	uint64_t a, b;
	void *object; /* connection or task */
	uint8_t *bytes;
};

struct record {
	struct happened *list;
	size_t num, capacity;
};

size_t count_of(const struct record *record, enum happening what);
/* The n-th (from 0) of its kind; must exist. */
const struct happened *nth(const struct record *record, enum happening what, size_t n);
void record_clear(struct record *record);
/* The states entered so far, as text: "S" STARTING, "R" RUNNING, "P" STOPPING, "I" IDLE. */
const char *states_of(const struct record *record);

/* ---- servers and clients ---- */

struct end {
	struct doca_pe *pe;
	bool owns_pe;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;                     /* NULL once destroyed */
	struct doca_comch_connection *connection; /* the newest; NULL after its end */
	struct record record;
	bool keep_tasks;        /* completed tasks are not freed */
	const uint8_t *message; /* where the latest stood, while its callback ran */
	void *own;              /* for hooks */
	void (*on_state)(struct end *end, enum doca_ctx_states next);
	void (*on_connect)(struct end *end, struct doca_comch_connection *connection);
	void (*on_disconnect)(struct end *end, struct doca_comch_connection *connection);
	void (*on_message)(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len);
	void (*on_sent)(struct end *end, struct doca_comch_task_send *task, doca_error_t status);
	void (*on_consumer)(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new);
};

#define TEST_SEND_TASKS 64u

/* Creates and configures, with every callback; `pe` NULL: an engine of its own. */
void server_make(struct end *end, const struct devices *devices, const char *name, struct doca_pe *pe);
void client_make(struct end *end, const struct devices *devices, const char *name, struct doca_pe *pe);
/* Created, nothing configured, not connected to an engine. */
void server_create(struct end *end, const struct devices *devices, const char *name);
void client_create(struct end *end, const struct devices *devices, const char *name);
void end_configure(struct end *end);
void end_connect_pe(struct end *end, struct doca_pe *pe);
/* Destroys; the context must be IDLE. */
void end_destroy(struct end *end);

enum doca_ctx_states state_of(struct doca_ctx *ctx);

doca_error_t alloc_send(struct end *end, struct doca_comch_connection *connection, const void *bytes, uint32_t len,
			struct doca_comch_task_send **task);
/* Allocates and submits; must succeed. */
struct doca_comch_task_send *send_bytes(struct end *end, struct doca_comch_connection *connection, const void *bytes,
					uint32_t len);
void send_text(struct end *end, struct doca_comch_connection *connection, const char *text);
bool is_text(const struct happened *message, const char *text);
size_t inflight(struct doca_ctx *ctx);

/* A server and a client that are connected. */
struct pair {
	struct devices devices;
	struct end server, client;
};

enum { ONE_ENGINE, TWO_ENGINES };

void pair_open(struct pair *pair, int engines);
/* Configured and not started. */
void pair_make(struct pair *pair, int engines);
void pair_connect(struct pair *pair);
/* Client stops first, then the server; both become IDLE and everything is released. */
void pair_close(struct pair *pair);
/* Stops whatever of the two runs, in any state, and destroys both. */
void pair_stop(struct pair *pair);

/* ---- the fast path ---- */

struct memory {
	void *block;
	uint8_t *bytes; /* in the block, from a page's begin */
	size_t size;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

void memory_open(struct memory *memory, size_t size, uint32_t bufs, struct doca_dev *dev, uint32_t permissions);
/* Lets another device use it, too: both sides of a connection in one process. */
void memory_share(struct memory *memory, struct doca_dev *dev);
void memory_close(struct memory *memory);
/* A buf of `len` bytes at `offset`, with `data_len` bytes of data at its start. */
struct doca_buf *memory_buf(struct memory *memory, size_t offset, size_t len, size_t data_len);
void buf_release(struct doca_buf *buf);
size_t buf_data_len(struct doca_buf *buf);

/* Test pattern number `seed`. */
void fill(uint8_t *bytes, size_t len, uint64_t seed);
bool filled(const uint8_t *bytes, size_t len, uint64_t seed);

struct consumer {
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	bool owns_pe;
	uint32_t id;
	struct record record;
	void *own;
	void (*on_received)(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			    doca_error_t status);
	void (*on_state)(struct consumer *consumer, enum doca_ctx_states next);
};

struct producer {
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct doca_pe *pe;
	bool owns_pe;
	struct record record;
	void *own;
	void (*on_sent)(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status);
	void (*on_state)(struct producer *producer, enum doca_ctx_states next);
};

/* Created and configured, not started; `pe` NULL: an engine of its own. Completed tasks belong to the test. */
void consumer_make(struct consumer *consumer, struct doca_comch_connection *connection, struct doca_mmap *mmap,
		   uint32_t tasks, struct doca_pe *pe);
void producer_make(struct producer *producer, struct doca_comch_connection *connection, uint32_t tasks,
		   struct doca_pe *pe);
void consumer_start(struct consumer *consumer, struct doca_pe *control);
void producer_start(struct producer *producer);
void consumer_stop(struct consumer *consumer);
void producer_stop(struct producer *producer);
void consumer_destroy(struct consumer *consumer);
void producer_destroy(struct producer *producer);

struct doca_comch_consumer_task_post_recv *post(struct consumer *consumer, struct doca_buf *buf);
doca_error_t try_post(struct consumer *consumer, struct doca_buf *buf,
		      struct doca_comch_consumer_task_post_recv **task);
/* Allocates and submits; on failure the task is freed. */
doca_error_t try_send(struct producer *producer, uint32_t to, const struct doca_buf *buf, const void *imm,
		      uint32_t imm_len, struct doca_comch_producer_task_send **task);
struct doca_comch_producer_task_send *put(struct producer *producer, uint32_t to, const struct doca_buf *buf);
void free_received(const struct record *record);
void free_sent(const struct record *record);

/* ---- processes ---- */

/* Runs `body` in a child process; it ends with body's result as exit code. */
int child_start(int (*body)(void *argument), void *argument);
/* Starts this program anew with `role` and `argument` as its arguments; returns the process id. Such a process has no
 * descriptor and no state of its parent's. */
int program_start(const char *role, const char *argument);
/* Its exit code; 1000 + signal when it was killed. One that does not end in time is killed. */
int child_wait(int pid);
void child_kill(int pid);

#endif
