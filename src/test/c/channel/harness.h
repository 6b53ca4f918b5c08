/* What the tests of libdoca_comm_channel share: a private fabric, devices, endpoints, and loops that fail instead of
 * hanging.
 *
 * Checks here end the program (CHECK), because they also run in threads and in child processes, where cmocka's
 * assertions do not work. */
#ifndef CHANNEL_HARNESS_H
#define CHANNEL_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cmocka.h>

#include "doca_comm_channel.h"
#include "doca_dev.h"
#include "doca_error.h"

typedef struct doca_comm_channel_ep_t endpoint;
typedef struct doca_comm_channel_addr_t address;

#define CHECK(condition) ((condition) ? (void)0 : harness_fail(__FILE__, __LINE__, #condition))
#define OK(call) harness_expect(__FILE__, __LINE__, #call, (call), DOCA_SUCCESS)
#define GIVES(error, call) harness_expect(__FILE__, __LINE__, #call, (call), (error))

/* Repeats `step` until `condition` holds; a generous deadline tells a hang from a slow machine. */
#define UNTIL(condition, step)                                                                                         \
	do {                                                                                                           \
		int64_t until_deadline = harness_deadline();                                                           \
		while (!(condition)) {                                                                                 \
			harness_in_time(until_deadline, __FILE__, __LINE__, #condition);                               \
			step;                                                                                          \
		}                                                                                                      \
	} while (0)

_Noreturn void harness_fail(const char *file, int line, const char *what);
void harness_expect(const char *file, int line, const char *call, doca_error_t got, doca_error_t wanted);
int64_t harness_deadline(void);
void harness_in_time(int64_t deadline, const char *file, int line, const char *what);

/* Setup and teardown of a group: a fabric folder of its own. */
int fabric_up(void **state);
int fabric_down(void **state);

/* A number from the environment, or the one that is quick enough for every run. */
long effort(const char *variable, long quick);

/* ---- devices ---- */

struct devices {
	struct doca_dev *dpu, *host;
	struct doca_dev_rep *rep; /* of `host` */
};

struct doca_dev *open_device(const char *pci);
struct doca_dev_rep *open_rep(struct doca_dev *dpu, const char *pci);
void devices_open(struct devices *devices);
void devices_close(struct devices *devices);

/* ---- endpoints ---- */

struct sizes {
	uint16_t message, send, recv; /* 0: the default */
};

endpoint *service_make(const struct devices *devices, const char *name, struct sizes sizes);
endpoint *client_make(const struct devices *devices, struct sizes sizes);

/* Connects, while the service, if it is in this process, lets clients in. */
address *client_connect_to(endpoint *client, const char *name, endpoint *service);

struct pair {
	struct devices devices;
	endpoint *service, *client;
	address *of_client;  /* the service's peer; NULL until it has spoken */
	address *of_service; /* the client's */
};

void pair_open(struct pair *pair, const char *name, struct sizes of_service, struct sizes of_client);
/* The same, and the service has its peer. */
void pair_meet(struct pair *pair, const char *name, struct sizes of_service, struct sizes of_client);
void pair_close(struct pair *pair);

/* ---- messages ---- */

void send_text(endpoint *from, const char *text, address *to);
/* Tries again while there is nothing. The peer that it is from. */
address *expect_text(endpoint *at, const char *text);
/* Nothing is there. */
void expect_nothing(endpoint *at);
doca_error_t receive(endpoint *at, void *bytes, size_t *len, address **from);

struct counts {
	uint64_t send_messages, send_bytes, recv_messages, recv_bytes, in_flight;
};

doca_error_t counts_of(address *peer, struct counts *counts);
uint64_t in_flight_to(address *peer);

/* ---- event channels ---- */

int send_handle(endpoint *ep);
int recv_handle(endpoint *ep);
int service_handle(endpoint *ep);
bool is_readable(int fd);
/* Sleeps until it is readable; fails after a generous time. */
void sleep_on(int fd);

/* ---- the log ---- */

/* Keeps what the libraries log from here on. */
void log_keep(void);
/* How often that text stands in it. */
int log_count(const char *text);

/* ---- processes ---- */

/* Runs `body` in a child process. */
pid_t child_start(int (*body)(void *), void *argument);
/* Its end must be the one of a program that has done all it should. */
void child_finish(pid_t child);
void child_kill(pid_t child);

#endif
