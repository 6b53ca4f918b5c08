/* What needs a DPA refuses null pointers, and is not supported. */
#include "harness.h"

#include "doca_comch_consumer.h"
#include "doca_comch_msgq.h"
#include "doca_comch_producer.h"

/* Objects that nobody can make here; the functions look at the pointers only. */
static char thing[64];
#define A(type) ((struct type *)(void *)thing)
#define NO(type) ((struct type *)NULL)

#define UNSUPPORTED(call) GIVES(DOCA_ERROR_NOT_SUPPORTED, call)
#define REFUSED(call) GIVES(DOCA_ERROR_INVALID_VALUE, call)

static void message_queues_are_not_supported(void **state)
{
	(void)state;
	struct doca_comch_msgq *queue = NULL;
	struct doca_comch_consumer *consumer = NULL;
	struct doca_comch_producer *producer = NULL;
	UNSUPPORTED(doca_comch_msgq_create(A(doca_dev), &queue));
	assert_null(queue);
	REFUSED(doca_comch_msgq_create(NULL, &queue));
	REFUSED(doca_comch_msgq_create(A(doca_dev), NULL));
	UNSUPPORTED(doca_comch_msgq_destroy(A(doca_comch_msgq)));
	REFUSED(doca_comch_msgq_destroy(NULL));
	UNSUPPORTED(doca_comch_msgq_set_dpa_consumer(A(doca_comch_msgq), A(doca_dpa)));
	REFUSED(doca_comch_msgq_set_dpa_consumer(A(doca_comch_msgq), NULL));
	UNSUPPORTED(doca_comch_msgq_set_dpa_producer(A(doca_comch_msgq), A(doca_dpa)));
	REFUSED(doca_comch_msgq_set_dpa_producer(NULL, A(doca_dpa)));
	UNSUPPORTED(doca_comch_msgq_set_max_num_consumers(A(doca_comch_msgq), 1));
	REFUSED(doca_comch_msgq_set_max_num_consumers(NULL, 1));
	UNSUPPORTED(doca_comch_msgq_set_max_num_producers(A(doca_comch_msgq), 1));
	REFUSED(doca_comch_msgq_set_max_num_producers(NULL, 1));
	UNSUPPORTED(doca_comch_msgq_start(A(doca_comch_msgq)));
	REFUSED(doca_comch_msgq_start(NULL));
	UNSUPPORTED(doca_comch_msgq_stop(A(doca_comch_msgq)));
	REFUSED(doca_comch_msgq_stop(NULL));
	UNSUPPORTED(doca_comch_msgq_consumer_create(A(doca_comch_msgq), &consumer));
	REFUSED(doca_comch_msgq_consumer_create(A(doca_comch_msgq), NULL));
	UNSUPPORTED(doca_comch_msgq_producer_create(A(doca_comch_msgq), &producer));
	REFUSED(doca_comch_msgq_producer_create(NULL, &producer));
}

static void completion_contexts_of_the_dpa_are_not_supported(void **state)
{
	(void)state;
	struct doca_comch_consumer_completion *made = NULL, *some = A(doca_comch_consumer_completion);
	const struct doca_comch_consumer_completion *none = NULL;
	uint32_t number = 7;
	doca_dpa_dev_comch_consumer_completion_t handle = 0;
	UNSUPPORTED(doca_comch_consumer_completion_create(&made));
	assert_null(made);
	REFUSED(doca_comch_consumer_completion_create(NULL));
	UNSUPPORTED(doca_comch_consumer_completion_destroy(some));
	REFUSED(doca_comch_consumer_completion_destroy(NULL));
	UNSUPPORTED(doca_comch_consumer_completion_set_dpa_thread(some, A(doca_dpa_thread)));
	REFUSED(doca_comch_consumer_completion_set_dpa_thread(some, NULL));
	UNSUPPORTED(doca_comch_consumer_completion_set_max_num_consumers(some, 1));
	REFUSED(doca_comch_consumer_completion_set_max_num_consumers(NULL, 1));
	UNSUPPORTED(doca_comch_consumer_completion_get_max_num_consumers(some, &number));
	REFUSED(doca_comch_consumer_completion_get_max_num_consumers(none, &number));
	UNSUPPORTED(doca_comch_consumer_completion_set_max_num_recv(some, 1));
	REFUSED(doca_comch_consumer_completion_set_max_num_recv(NULL, 1));
	UNSUPPORTED(doca_comch_consumer_completion_get_max_num_recv(some, &number));
	REFUSED(doca_comch_consumer_completion_get_max_num_recv(some, NULL));
	UNSUPPORTED(doca_comch_consumer_completion_set_imm_data_len(some, 1));
	REFUSED(doca_comch_consumer_completion_set_imm_data_len(NULL, 1));
	UNSUPPORTED(doca_comch_consumer_completion_get_imm_data_len(some, &number));
	REFUSED(doca_comch_consumer_completion_get_imm_data_len(none, &number));
	UNSUPPORTED(doca_comch_consumer_completion_start(some));
	REFUSED(doca_comch_consumer_completion_start(NULL));
	UNSUPPORTED(doca_comch_consumer_completion_stop(some));
	REFUSED(doca_comch_consumer_completion_stop(NULL));
	UNSUPPORTED(doca_comch_consumer_completion_get_dpa_handle(some, &handle));
	REFUSED(doca_comch_consumer_completion_get_dpa_handle(some, NULL));
	assert_int_equal(number, 7);
	assert_int_equal(handle, 0);
}

static void the_dpa_side_of_producers_and_consumers_is_not_supported(void **state)
{
	(void)state;
	struct doca_comch_consumer *consumer = A(doca_comch_consumer);
	struct doca_comch_producer *producer = A(doca_comch_producer);
	uint64_t handle = 0;
	UNSUPPORTED(doca_comch_consumer_set_dev_max_num_recv(consumer, 1));
	REFUSED(doca_comch_consumer_set_dev_max_num_recv(NULL, 1));
	UNSUPPORTED(doca_comch_consumer_set_completion(consumer, A(doca_comch_consumer_completion), 1));
	REFUSED(doca_comch_consumer_set_completion(consumer, NO(doca_comch_consumer_completion), 1));
	UNSUPPORTED(doca_comch_consumer_get_dpa_handle(consumer, &handle));
	REFUSED(doca_comch_consumer_get_dpa_handle(consumer, NULL));
	UNSUPPORTED(doca_comch_producer_set_dev_max_num_send(producer, 1));
	REFUSED(doca_comch_producer_set_dev_max_num_send(NULL, 1));
	UNSUPPORTED(doca_comch_producer_dpa_completion_attach(producer, A(doca_dpa_completion)));
	REFUSED(doca_comch_producer_dpa_completion_attach(producer, NO(doca_dpa_completion)));
	UNSUPPORTED(doca_comch_producer_get_dpa_handle(producer, &handle));
	REFUSED(doca_comch_producer_get_dpa_handle(NULL, &handle));
	assert_int_equal(handle, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_queues_are_not_supported),
		cmocka_unit_test(completion_contexts_of_the_dpa_are_not_supported),
		cmocka_unit_test(the_dpa_side_of_producers_and_consumers_is_not_supported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
