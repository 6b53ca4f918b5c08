/* The life of a MsgQ and of what belongs to it: null pointers, states, limits, ids, and devices without a DPA. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "msgq_fixture.h"

#define REFUSED(call) GIVES(DOCA_ERROR_INVALID_VALUE, call)
#define BAD_STATE(call) GIVES(DOCA_ERROR_BAD_STATE, call)
#define USED(call) GIVES(DOCA_ERROR_IN_USE, call)
#define UNSUPPORTED(call) GIVES(DOCA_ERROR_NOT_SUPPORTED, call)

static char thing[64];
#define A(type) ((struct type *)(void *)thing)

static void every_function_refuses_null(void **state)
{
	(void)state;
	struct doca_comch_msgq *queue = NULL;
	struct doca_comch_consumer *consumer = NULL;
	struct doca_comch_producer *producer = NULL;
	struct doca_comch_consumer_completion *some = A(doca_comch_consumer_completion);
	uint32_t number;
	uint64_t handle;
	REFUSED(doca_comch_msgq_create(NULL, &queue));
	REFUSED(doca_comch_msgq_create(A(doca_dev), NULL));
	REFUSED(doca_comch_msgq_destroy(NULL));
	REFUSED(doca_comch_msgq_set_dpa_consumer(NULL, A(doca_dpa)));
	REFUSED(doca_comch_msgq_set_dpa_consumer(A(doca_comch_msgq), NULL));
	REFUSED(doca_comch_msgq_set_dpa_producer(NULL, A(doca_dpa)));
	REFUSED(doca_comch_msgq_set_dpa_producer(A(doca_comch_msgq), NULL));
	REFUSED(doca_comch_msgq_set_max_num_consumers(NULL, 1));
	REFUSED(doca_comch_msgq_set_max_num_producers(NULL, 1));
	REFUSED(doca_comch_msgq_start(NULL));
	REFUSED(doca_comch_msgq_stop(NULL));
	REFUSED(doca_comch_msgq_consumer_create(NULL, &consumer));
	REFUSED(doca_comch_msgq_consumer_create(A(doca_comch_msgq), NULL));
	REFUSED(doca_comch_msgq_producer_create(NULL, &producer));
	REFUSED(doca_comch_msgq_producer_create(A(doca_comch_msgq), NULL));
	REFUSED(doca_comch_consumer_completion_create(NULL));
	REFUSED(doca_comch_consumer_completion_destroy(NULL));
	REFUSED(doca_comch_consumer_completion_set_dpa_thread(NULL, A(doca_dpa_thread)));
	REFUSED(doca_comch_consumer_completion_set_dpa_thread(some, NULL));
	REFUSED(doca_comch_consumer_completion_set_max_num_consumers(NULL, 1));
	REFUSED(doca_comch_consumer_completion_get_max_num_consumers(NULL, &number));
	REFUSED(doca_comch_consumer_completion_get_max_num_consumers(some, NULL));
	REFUSED(doca_comch_consumer_completion_set_max_num_recv(NULL, 1));
	REFUSED(doca_comch_consumer_completion_get_max_num_recv(NULL, &number));
	REFUSED(doca_comch_consumer_completion_get_max_num_recv(some, NULL));
	REFUSED(doca_comch_consumer_completion_set_imm_data_len(NULL, 1));
	REFUSED(doca_comch_consumer_completion_get_imm_data_len(NULL, &number));
	REFUSED(doca_comch_consumer_completion_get_imm_data_len(some, NULL));
	REFUSED(doca_comch_consumer_completion_start(NULL));
	REFUSED(doca_comch_consumer_completion_stop(NULL));
	REFUSED(doca_comch_consumer_completion_get_dpa_handle(NULL, &handle));
	REFUSED(doca_comch_consumer_completion_get_dpa_handle(some, NULL));
	REFUSED(doca_comch_consumer_set_dev_max_num_recv(NULL, 1));
	REFUSED(doca_comch_consumer_set_completion(NULL, some, 1));
	REFUSED(doca_comch_consumer_set_completion(A(doca_comch_consumer), NULL, 1));
	REFUSED(doca_comch_consumer_get_dpa_handle(NULL, &handle));
	REFUSED(doca_comch_consumer_get_dpa_handle(A(doca_comch_consumer), NULL));
	REFUSED(doca_comch_producer_set_dev_max_num_send(NULL, 1));
	REFUSED(doca_comch_producer_dpa_completion_attach(NULL, A(doca_dpa_completion)));
	REFUSED(doca_comch_producer_dpa_completion_attach(A(doca_comch_producer), NULL));
	REFUSED(doca_comch_producer_get_dpa_handle(NULL, &handle));
	REFUSED(doca_comch_producer_get_dpa_handle(A(doca_comch_producer), NULL));
}

static void a_queue_has_states_and_limits(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_comch_msgq *queue;
	struct doca_comch_consumer *consumers[3];
	struct doca_comch_producer *producers[3];
	uint32_t id;
	dpa_open(&dpa);
	OK(doca_comch_msgq_create(dpa.dev, &queue));
	BAD_STATE(doca_comch_msgq_stop(queue));
	BAD_STATE(doca_comch_msgq_consumer_create(queue, &consumers[0]));
	BAD_STATE(doca_comch_msgq_producer_create(queue, &producers[0]));
	REFUSED(doca_comch_msgq_set_max_num_consumers(queue, 0));
	REFUSED(doca_comch_msgq_set_max_num_producers(queue, 0));
	REFUSED(doca_comch_msgq_set_max_num_consumers(queue, 1 << 20));
	OK(doca_comch_msgq_set_max_num_consumers(queue, 2));
	OK(doca_comch_msgq_set_max_num_producers(queue, 2));
	OK(doca_comch_msgq_set_dpa_consumer(queue, dpa.dpa));
	OK(doca_comch_msgq_start(queue));
	BAD_STATE(doca_comch_msgq_start(queue));
	BAD_STATE(doca_comch_msgq_set_max_num_consumers(queue, 2));
	BAD_STATE(doca_comch_msgq_set_max_num_producers(queue, 2));
	BAD_STATE(doca_comch_msgq_set_dpa_consumer(queue, dpa.dpa));
	BAD_STATE(doca_comch_msgq_set_dpa_producer(queue, dpa.dpa));
	USED(doca_comch_msgq_destroy(queue));
	USED(doca_dpa_stop(dpa.dpa));
	for (uint32_t i = 0; i < 2; i++) {
		OK(doca_comch_msgq_consumer_create(queue, &consumers[i]));
		OK(doca_comch_consumer_get_id(consumers[i], &id));
		assert_int_equal(id, i + 1);
		OK(doca_comch_msgq_producer_create(queue, &producers[i]));
		OK(doca_comch_producer_get_id(producers[i], &id));
		assert_int_equal(id, i + 1);
	}
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_msgq_consumer_create(queue, &consumers[2]));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_comch_msgq_producer_create(queue, &producers[2]));
	USED(doca_comch_msgq_stop(queue));
	for (uint32_t i = 0; i < 2; i++) {
		OK(doca_comch_consumer_destroy(consumers[i]));
		USED(doca_comch_msgq_stop(queue));
		OK(doca_comch_producer_destroy(producers[i]));
	}
	OK(doca_comch_msgq_stop(queue));
	BAD_STATE(doca_comch_msgq_consumer_create(queue, &consumers[0]));
	OK(doca_comch_msgq_set_max_num_consumers(queue, 3)); /* open again */
	OK(doca_comch_msgq_start(queue));
	OK(doca_comch_msgq_stop(queue));
	OK(doca_comch_msgq_set_dpa_producer(queue, dpa.dpa));
	REFUSED(doca_comch_msgq_start(queue)); /* both ends on the DPA */
	USED(doca_dev_close(dpa.dev));
	OK(doca_comch_msgq_destroy(queue));
	dpa_close(&dpa);
}

static void a_queue_is_of_the_device_of_its_dpa(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_dpa *other, *extended;
	struct doca_comch_msgq *queue;
	dpa_open(&dpa);
	OK(doca_dpa_create(dpa.devices.dpu, &other));
	OK(doca_comch_msgq_create(dpa.dev, &queue));
	REFUSED(doca_comch_msgq_set_dpa_consumer(queue, other));
	REFUSED(doca_comch_msgq_set_dpa_producer(queue, other));
	OK(doca_comch_msgq_destroy(queue));
	OK(doca_comch_msgq_create(dpa.devices.dpu, &queue));
	OK(doca_comch_msgq_set_dpa_consumer(queue, other));
	BAD_STATE(doca_comch_msgq_start(queue)); /* its dpa is not started */
	OK(doca_comch_msgq_destroy(queue));
	OK(doca_dpa_destroy(other));
	OK(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended));
	OK(doca_comch_msgq_create(dpa.devices.host2, &queue));
	OK(doca_comch_msgq_set_dpa_consumer(queue, extended));
	OK(doca_comch_msgq_start(queue));
	USED(doca_dpa_destroy(extended));
	OK(doca_comch_msgq_stop(queue));
	OK(doca_comch_msgq_destroy(queue));
	OK(doca_dpa_destroy(extended));
	dpa_close(&dpa);
}

static void completions_of_consumers_have_states(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_comch_consumer_completion *completion;
	struct doca_dpa_thread *thread;
	uint32_t number;
	uint64_t handle;
	dpa_open(&dpa);
	OK(doca_comch_consumer_completion_create(&completion));
	OK(doca_comch_consumer_completion_set_max_num_consumers(completion, 5));
	OK(doca_comch_consumer_completion_get_max_num_consumers(completion, &number));
	assert_int_equal(number, 8);
	OK(doca_comch_consumer_completion_set_max_num_recv(completion, 1000));
	OK(doca_comch_consumer_completion_get_max_num_recv(completion, &number));
	assert_int_equal(number, 1024);
	OK(doca_comch_consumer_completion_set_imm_data_len(completion, 96));
	REFUSED(doca_comch_consumer_completion_set_imm_data_len(completion, 97));
	OK(doca_comch_consumer_completion_get_imm_data_len(completion, &number));
	assert_int_equal(number, 96);
	REFUSED(doca_comch_consumer_completion_set_max_num_consumers(completion, 0));
	REFUSED(doca_comch_consumer_completion_set_max_num_recv(completion, 0));
	OK(doca_dpa_thread_create(dpa.dpa, &thread));
	OK(doca_dpa_thread_set_func_arg(thread, echo, 0));
	OK(doca_comch_consumer_completion_set_dpa_thread(completion, thread));
	BAD_STATE(doca_comch_consumer_completion_start(completion)); /* its thread is not started */
	BAD_STATE(doca_comch_consumer_completion_stop(completion));
	BAD_STATE(doca_comch_consumer_completion_get_dpa_handle(completion, &handle));
	OK(doca_dpa_thread_start(thread));
	OK(doca_comch_consumer_completion_start(completion));
	BAD_STATE(doca_comch_consumer_completion_start(completion));
	BAD_STATE(doca_comch_consumer_completion_set_dpa_thread(completion, thread));
	BAD_STATE(doca_comch_consumer_completion_set_max_num_consumers(completion, 1));
	BAD_STATE(doca_comch_consumer_completion_set_max_num_recv(completion, 1));
	BAD_STATE(doca_comch_consumer_completion_set_imm_data_len(completion, 1));
	BAD_STATE(doca_dpa_thread_destroy(thread));
	OK(doca_comch_consumer_completion_get_dpa_handle(completion, &handle));
	assert_int_not_equal(handle, 0);
	OK(doca_comch_consumer_completion_stop(completion));
	OK(doca_comch_consumer_completion_start(completion));
	OK(doca_comch_consumer_completion_destroy(completion)); /* stops */
	OK(doca_dpa_thread_destroy(thread));
	dpa_close(&dpa);
}

static void an_end_on_the_dpa_needs_all_its_parts(void **state)
{
	(void)state;
	struct dpa dpa;
	struct doca_comch_consumer *consumer, *second;
	struct doca_comch_producer *producer;
	struct doca_dpa *extended;
	struct doca_pe *pe;
	uint64_t handle;
	dpa_open(&dpa);
	OK(doca_pe_create(&pe));
	OK(doca_dpa_device_extend(dpa.dpa, dpa.devices.host2, &extended));
	struct doca_dpa_thread *thread = thread_make(dpa.dpa, echo, NULL);
	struct doca_comch_consumer_completion *completion = completion_make(thread, 1, 16, 16);
	struct doca_comch_msgq *to_dpa = msgq_make(dpa.dev, dpa.dpa, NULL, 2, 1);
	struct doca_comch_msgq *from_dpa = msgq_make(dpa.dev, NULL, dpa.dpa, 1, 1);

	OK(doca_comch_msgq_consumer_create(to_dpa, &consumer));
	GIVES(DOCA_ERROR_NOT_CONNECTED, doca_ctx_start(consumer_ctx(consumer))); /* neither engine nor data path */
	OK(doca_pe_connect_ctx(pe, consumer_ctx(consumer)));
	BAD_STATE(doca_ctx_start(consumer_ctx(consumer)));               /* no data path */
	OK(doca_comch_consumer_set_completion(consumer, completion, 5)); /* the data path may come later */
	REFUSED(doca_comch_consumer_set_completion(consumer, completion, 1 << 24));
	OK(doca_ctx_set_datapath_on_dpa(consumer_ctx(consumer), extended));
	OK(doca_comch_consumer_set_dev_max_num_recv(consumer, 16));
	REFUSED(doca_comch_consumer_set_dev_max_num_recv(consumer, 0));
	REFUSED(doca_ctx_start(consumer_ctx(consumer))); /* another dpa */
	OK(doca_ctx_set_datapath_on_dpa(consumer_ctx(consumer), dpa.dpa));
	REFUSED(doca_ctx_start(consumer_ctx(consumer))); /* more immediate data than the completion takes */
	REFUSED(doca_comch_consumer_set_imm_data_len(consumer, 97));
	OK(doca_comch_consumer_set_imm_data_len(consumer, 16));
	BAD_STATE(doca_comch_consumer_get_dpa_handle(consumer, &handle));
	OK(doca_ctx_start(consumer_ctx(consumer)));
	assert_int_equal(state_of(consumer_ctx(consumer)), DOCA_CTX_STATE_RUNNING);
	BAD_STATE(doca_comch_consumer_set_completion(consumer, completion, 5));
	BAD_STATE(doca_comch_consumer_set_dev_max_num_recv(consumer, 16));
	OK(doca_comch_consumer_get_dpa_handle(consumer, &handle));
	USED(doca_comch_consumer_completion_stop(completion));
	USED(doca_comch_consumer_completion_destroy(completion));
	USED(doca_comch_consumer_destroy(consumer));
	OK(doca_comch_msgq_consumer_create(to_dpa, &second));
	OK(doca_comch_consumer_set_imm_data_len(second, 16));
	OK(doca_ctx_set_datapath_on_dpa(consumer_ctx(second), dpa.dpa));
	BAD_STATE(doca_ctx_start(consumer_ctx(second))); /* no size */
	OK(doca_comch_consumer_set_dev_max_num_recv(second, 16));
	BAD_STATE(doca_ctx_start(consumer_ctx(second))); /* no completion */
	OK(doca_comch_consumer_set_completion(second, completion, 0));
	GIVES(DOCA_ERROR_NO_MEMORY, doca_ctx_start(consumer_ctx(second))); /* it takes one consumer */
	OK(doca_ctx_stop(consumer_ctx(consumer)));
	assert_int_equal(state_of(consumer_ctx(consumer)), DOCA_CTX_STATE_IDLE);
	OK(doca_ctx_start(consumer_ctx(second)));
	OK(doca_ctx_stop(consumer_ctx(second)));
	/* The completion may end before the consumers. */
	OK(doca_comch_consumer_completion_stop(completion));
	OK(doca_comch_consumer_completion_destroy(completion));
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_comch_consumer_destroy(second));

	struct doca_dpa_completion *sent;
	OK(doca_dpa_completion_create(dpa.dpa, 16, &sent));
	OK(doca_comch_msgq_producer_create(from_dpa, &producer));
	OK(doca_ctx_set_datapath_on_dpa(producer_ctx(producer), dpa.dpa));
	BAD_STATE(doca_ctx_start(producer_ctx(producer))); /* no size */
	OK(doca_comch_producer_set_dev_max_num_send(producer, 16));
	REFUSED(doca_comch_producer_set_dev_max_num_send(producer, 0));
	BAD_STATE(doca_ctx_start(producer_ctx(producer))); /* no completion */
	OK(doca_comch_producer_dpa_completion_attach(producer, sent));
	BAD_STATE(doca_ctx_start(producer_ctx(producer))); /* which is not started */
	BAD_STATE(doca_comch_producer_get_dpa_handle(producer, &handle));
	OK(doca_dpa_completion_start(sent));
	OK(doca_ctx_start(producer_ctx(producer)));
	BAD_STATE(doca_comch_producer_dpa_completion_attach(producer, sent));
	BAD_STATE(doca_comch_producer_set_dev_max_num_send(producer, 16));
	OK(doca_comch_producer_get_dpa_handle(producer, &handle));
	USED(doca_dpa_completion_stop(sent));
	OK(doca_ctx_stop(producer_ctx(producer)));
	OK(doca_comch_producer_destroy(producer));
	OK(doca_dpa_completion_destroy(sent));

	/* The end that is on the CPU cannot be on the DPA. */
	OK(doca_comch_msgq_producer_create(to_dpa, &producer));
	OK(doca_ctx_set_datapath_on_dpa(producer_ctx(producer), dpa.dpa));
	REFUSED(doca_ctx_start(producer_ctx(producer)));
	OK(doca_comch_producer_destroy(producer));
	OK(doca_comch_msgq_consumer_create(from_dpa, &consumer));
	OK(doca_ctx_set_datapath_on_dpa(consumer_ctx(consumer), dpa.dpa));
	REFUSED(doca_ctx_start(consumer_ctx(consumer)));
	BAD_STATE(doca_comch_consumer_get_dpa_handle(consumer, &handle));
	OK(doca_comch_consumer_destroy(consumer));
	thread_end(thread);
	OK(doca_comch_msgq_stop(to_dpa));
	OK(doca_comch_msgq_destroy(to_dpa));
	OK(doca_comch_msgq_stop(from_dpa));
	OK(doca_comch_msgq_destroy(from_dpa));
	OK(doca_dpa_destroy(extended));
	OK(doca_pe_destroy(pe));
	dpa_close(&dpa);
}

static void ends_on_the_cpu_take_immediate_data_only(void **state)
{
	(void)state;
	struct link link;
	struct memory memory;
	struct doca_comch_producer_task_send *send;
	struct doca_comch_consumer_task_post_recv *recv;
	uint8_t imm[97] = {0};
	link_open(&link, echo, 4, 84);
	memory_open(&memory, 64, 1, link.base.dev, DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	struct doca_buf *buf = memory_buf(&memory, 0, 64, 32);
	REFUSED(doca_comch_producer_task_send_alloc_init(link.producer, buf, imm, 8, 1, &send));
	REFUSED(doca_comch_producer_task_send_alloc_init(link.producer, NULL, imm, 97, 1, &send));
	REFUSED(doca_comch_producer_task_send_alloc_init(link.producer, NULL, NULL, 0, 1, &send));
	REFUSED(link_send(&link, imm, 85)); /* more than the consumer takes */
	OK(doca_comch_producer_task_send_alloc_init(link.producer, NULL, imm, 8, 1, &send));
	doca_comch_producer_task_send_set_buf(send, buf);
	REFUSED(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	doca_comch_producer_task_send_set_buf(send, NULL);
	doca_comch_producer_task_send_set_imm_data(send, imm, 0);
	REFUSED(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	doca_comch_producer_task_send_set_imm_data(send, imm, 97);
	REFUSED(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	doca_comch_producer_task_send_set_imm_data(send, imm, 8);
	const uint32_t unknown[] = {0, 2, 1000, UINT32_MAX};
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		doca_comch_producer_task_send_set_consumer_id(send, unknown[i]);
		REFUSED(doca_task_submit(doca_comch_producer_task_send_as_task(send)));
	}
	doca_task_free(doca_comch_producer_task_send_as_task(send));
	struct doca_comch_msgq *local = msgq_make(link.base.dev, NULL, NULL, 1, 1);
	struct doca_comch_consumer *consumer = cpu_consumer_make(local, link.pe, 4, 8, &link);
	OK(doca_comch_consumer_task_post_recv_alloc_init(consumer, buf, &recv));
	REFUSED(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(recv)));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(recv));
	ctx_stop(consumer_ctx(consumer), link.pe);
	OK(doca_comch_consumer_destroy(consumer));
	OK(doca_comch_msgq_stop(local));
	OK(doca_comch_msgq_destroy(local));
	buf_release(buf);
	memory_close(&memory);
	link_close(&link);
}

static void sends_end_when_the_consumer_stops(void **state)
{
	(void)state;
	struct link link;
	uint8_t imm[8] = {0};
	uint64_t empty;
	link_open(&link, echo, 4, 8);
	for (int i = 0; i < 4; i++)
		OK(link_send(&link, imm, 8)); /* the thread does not run: nothing is answered */
	GIVES(DOCA_ERROR_AGAIN, link_send(&link, imm, 8));
	UNTIL(link.num_sent == 4, link.pe);
	GIVES(DOCA_ERROR_AGAIN, link_send(&link, imm, 8)); /* now a task is at hand, and no credit */
	OK(doca_ctx_stop(consumer_ctx(link.dpa_consumer)));
	REFUSED(link_send(&link, imm, 8));
	OK(doca_dpa_rpc(link.dpa, send_number, &empty, link.ends->producer, 1, UINT64_C(3), 8,
			FLUSH | OPTIMIZE_REPORTS));
	assert_int_equal(empty, 0);
	UNTIL(link.num_received == 1, link.pe);
	OK(doca_ctx_stop(consumer_ctx(link.consumer)) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : DOCA_ERROR_UNKNOWN);
	UNTIL(state_of(consumer_ctx(link.consumer)) == DOCA_CTX_STATE_IDLE, link.pe);
	assert_int_equal(link.num_failed, 3); /* the receives that were posted */
	HEALTHY(link.dpa);
	OK(doca_dpa_rpc(link.dpa, send_number, &empty, link.ends->producer, 1, UINT64_C(3), 8,
			FLUSH | OPTIMIZE_REPORTS));
	assert_int_equal(empty, 1);
	FAILED(link.dpa); /* sent all the same */
	OK(doca_ctx_start(consumer_ctx(link.dpa_consumer)));
	OK(doca_ctx_start(consumer_ctx(link.consumer)));
	link_close(&link);
}

/* A program that never stops its thread. */
static void a_thread_need_not_be_stopped(void **state)
{
	(void)state;
	struct link link;
	uint8_t imm[8] = {0};
	link_open(&link, echo, 4, 8);
	OK(doca_dpa_thread_run(link.thread));
	OK(link_send(&link, imm, 8));
	UNTIL(link.num_received == 1, link.pe);
	ctx_stop(consumer_ctx(link.consumer), link.pe);
	ctx_stop(producer_ctx(link.producer), link.pe);
	OK(doca_ctx_stop(consumer_ctx(link.dpa_consumer)));
	OK(doca_ctx_stop(producer_ctx(link.dpa_producer)));
	link_destroy_children(&link);
	OK(doca_comch_consumer_completion_destroy(link.received));
	OK(doca_dpa_completion_destroy(link.sent));
	OK(doca_dpa_thread_destroy(link.thread));
	link_finish(&link);
}

/* In a process of its own: a topology holds for the life of a process. */
static int without(void *argument)
{
	(void)argument;
	topology_write("dpu 0000:03:00.0 without=dpa\nhost 0000:b1:00.0 pf without=dpa\n");
	struct doca_devinfo **list;
	struct doca_comch_msgq *queue = NULL;
	struct doca_comch_consumer_completion *completion = NULL;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	for (uint32_t i = 0; i < num; i++) {
		struct doca_dev *dev;
		OK(doca_dev_open(list[i], &dev));
		UNSUPPORTED(doca_comch_msgq_create(dev, &queue));
		OK(doca_dev_close(dev));
	}
	UNSUPPORTED(doca_comch_consumer_completion_create(&completion));
	CHECK(queue == NULL && completion == NULL);
	OK(doca_devinfo_destroy_list(list));
	return 0;
}

static void a_device_without_a_dpa_has_no_queues(void **state)
{
	(void)state;
	assert_int_equal(run_with_topology(without), 0);
}

/* Producers and consumers of connections are on the CPU. */
static void ends_of_connections_stay_on_the_cpu(void **state)
{
	(void)state;
	struct pair pair;
	struct producer producer;
	struct doca_dpa *dpa;
	struct doca_dpa_completion *sent;
	uint64_t handle;
	pair_open(&pair, TWO_ENGINES);
	producer_make(&producer, pair.client.connection, 4, NULL);
	OK(doca_dpa_create(pair.devices.host, &dpa));
	OK(doca_dpa_completion_create(dpa, 4, &sent));
	UNSUPPORTED(doca_ctx_set_datapath_on_dpa(producer.ctx, dpa));
	UNSUPPORTED(doca_comch_producer_set_dev_max_num_send(producer.producer, 4));
	UNSUPPORTED(doca_comch_producer_dpa_completion_attach(producer.producer, sent));
	BAD_STATE(doca_comch_producer_get_dpa_handle(producer.producer, &handle));
	OK(doca_dpa_completion_destroy(sent));
	OK(doca_dpa_destroy(dpa));
	producer_destroy(&producer);
	pair_close(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_without_a_dpa_has_no_queues), /* before this process has a topology */
		cmocka_unit_test(every_function_refuses_null),
		cmocka_unit_test(a_queue_has_states_and_limits),
		cmocka_unit_test(a_queue_is_of_the_device_of_its_dpa),
		cmocka_unit_test(completions_of_consumers_have_states),
		cmocka_unit_test(an_end_on_the_dpa_needs_all_its_parts),
		cmocka_unit_test(ends_on_the_cpu_take_immediate_data_only),
		cmocka_unit_test(sends_end_when_the_consumer_stops),
		cmocka_unit_test(a_thread_need_not_be_stopped),
		cmocka_unit_test(ends_of_connections_stay_on_the_cpu),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
