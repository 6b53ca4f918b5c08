/* Comch in terms of doca_cc, so that the tests of Comch can be compiled for DOCA 2.5 (over_cc_2_5.h) and 2.6
 * (over_cc_2_6.h): included before everything else, it takes the place of Comch's headers.
 *
 * What these releases lack ends the program when a test uses it; such tests are left out by name (LEFT_OUT, a list that
 * ends each name with a comma). */
#ifndef TEST_OVER_CC_H
#define TEST_OVER_CC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "doca_buf.h"
#include "doca_cc.h"
#include "doca_cc_consumer.h"
#include "doca_cc_producer.h"
#include "doca_ctx.h"
#include "doca_error.h"
#include "doca_pe.h"

#define START_UNCONFIGURED DOCA_ERROR_BAD_STATE
#define DESTROYED_NULL DOCA_SUCCESS
#define DEFAULT_MAX_MSG_SIZE 2048
#define DEFAULT_RECV_QUEUE_SIZE 128

/* The headers of Comch, which must not come in as well. */
#define DOCA_COMCH_H_
#define DOCA_COMCH_CONSUMER_H_
#define DOCA_COMCH_PRODUCER_H_

#define doca_comch_server doca_cc_server
#define doca_comch_client doca_cc_client
#define doca_comch_connection doca_cc_connection
#define doca_comch_event_msg_recv doca_cc_event_msg_recv
#define doca_comch_event_connection_status_changed doca_cc_event_connection_status_changed
#define doca_comch_event_consumer doca_cc_event_consumer
#define doca_comch_consumer doca_cc_consumer
#define doca_comch_producer doca_cc_producer
#define doca_comch_counter doca_cc_counter
#define DOCA_COMCH_COUNTER_SENT_MESSAGES DOCA_CC_COUNTER_SENT_MESSAGES
#define DOCA_COMCH_COUNTER_SENT_BYTES DOCA_CC_COUNTER_SENT_BYTES
#define DOCA_COMCH_COUNTER_RECV_MESSAGES DOCA_CC_COUNTER_RECV_MESSAGES
#define DOCA_COMCH_COUNTER_RECV_BYTES DOCA_CC_COUNTER_RECV_BYTES

/* Functions with another name and the same types, but for what the release has defined itself: CMakeLists.txt makes it
 * of the lists that the libraries are made with. */
#include "cc_names.h"

/* ---- what there is not ---- */

_Noreturn static inline void over_cc_lacks(const char *what)
{
	fprintf(stderr, "this generation has no %s: the test is to be left out\n", what);
	abort();
}

#define doca_comch_server_disconnect(server, connection)                                                               \
	((void)(server), (void)(connection), over_cc_lacks("server_disconnect"), DOCA_ERROR_NOT_SUPPORTED)
#define doca_comch_consumer_set_imm_data_len(consumer, len)                                                            \
	((void)(consumer), (void)(len), over_cc_lacks("set_imm_data_len"), DOCA_ERROR_NOT_SUPPORTED)
#define doca_comch_consumer_get_imm_data_len(consumer, len)                                                            \
	((void)(consumer), (void)(len), over_cc_lacks("get_imm_data_len"), DOCA_ERROR_NOT_SUPPORTED)
#define doca_comch_producer_task_send_get_imm_data(task) ((void)(task), over_cc_lacks("get_imm_data"), (uint8_t *)NULL)
#define doca_comch_producer_task_send_get_imm_data_len(task)                                                           \
	((void)(task), over_cc_lacks("get_imm_data_len"), UINT32_C(0))
#define doca_comch_producer_task_send_set_imm_data(task, imm, len)                                                     \
	((void)(task), (void)(imm), (void)(len), over_cc_lacks("set_imm_data"))

static inline const uint8_t *
doca_comch_consumer_task_post_recv_get_imm_data(const struct doca_comch_consumer_task_post_recv *task)
{
	(void)task;
	return NULL;
}

static inline uint32_t
doca_comch_consumer_task_post_recv_get_imm_data_len(const struct doca_comch_consumer_task_post_recv *task)
{
	(void)task;
	return 0;
}

/* As programs do that are to run with these releases, too. */
static inline doca_error_t doca_buf_set_data_len(struct doca_buf *buf, size_t len)
{
	void *data;
	doca_error_t result = doca_buf_get_data(buf, &data);
	return result == DOCA_SUCCESS ? doca_buf_set_data(buf, data, len) : result;
}

#define DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS 2u

static inline doca_error_t doca_task_submit_ex(struct doca_task *task, uint32_t flags)
{
	(void)flags;
	return doca_task_submit(task);
}

static inline void doca_ctx_flush_tasks(struct doca_ctx *ctx)
{
	(void)ctx;
}

/* ---- tests that are left out ---- */

#ifndef LEFT_OUT
#define LEFT_OUT ""
#endif

/* Moves those that are to run to the front and returns how many they are. Each name that is left out must be there. */
static inline size_t over_cc_select(struct CMUnitTest *tests, size_t num)
{
	size_t kept = 0, left_out = 0;
	for (size_t i = 0; i < num; i++) {
		char name[128];
		snprintf(name, sizeof(name), ",%s,", tests[i].name);
		if (strstr("," LEFT_OUT, name) != NULL)
			left_out++;
		else
			tests[kept++] = tests[i];
	}
	for (const char *c = LEFT_OUT; *c != '\0'; c++)
		left_out -= *c == ',';
	if (left_out != 0) {
		fprintf(stderr, "a test that is to be left out is not here: %s\n", LEFT_OUT);
		abort();
	}
	return kept;
}

static inline int over_cc_run(const char *group, const struct CMUnitTest *tests, size_t num, CMFixtureFunction setup,
			      CMFixtureFunction teardown)
{
	struct CMUnitTest *selected = malloc(num * sizeof(*tests));
	if (selected == NULL)
		abort();
	memcpy(selected, tests, num * sizeof(*tests));
	int failed = _cmocka_run_group_tests(group, selected, over_cc_select(selected, num), setup, teardown);
	free(selected);
	return failed;
}

#undef cmocka_run_group_tests
#define cmocka_run_group_tests(tests, setup, teardown)                                                                 \
	over_cc_run(#tests, tests, sizeof(tests) / sizeof((tests)[0]), setup, teardown)

#endif
