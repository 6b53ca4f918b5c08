/* The program on the DPA of these tests, in the dialect that DPACC compiles; scripts/dpacc makes a library of it. */
#include "doca_dpa_dev.h"
#include "doca_dpa_dev_buf.h"
#include "doca_dpa_dev_sync_event.h"

#include "doca_emu_dpa.h"

#include <dpaintrin.h>
#include <stdint.h>

/* ---- calls ---- */

__dpa_rpc__ uint64_t sum(uint64_t a, uint32_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g, uint64_t h)
{
	return a + 2 * (uint64_t)b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

__dpa_rpc__ uint64_t say(uint64_t number)
{
	DOCA_DPA_DEV_LOG_ERR("an error %llu", (unsigned long long)number);
	DOCA_DPA_DEV_LOG_WARN("a warning\n");
	DOCA_DPA_DEV_LOG_INFO("information");
	DOCA_DPA_DEV_LOG_DBG("a detail");
	doca_dpa_dev_trace(number, 2, 3, 4, 5);
	doca_dpa_dev_trace_flush();
	return 0;
}

__dpa_rpc__ uint64_t load(doca_dpa_dev_uintptr_t address)
{
	return *(uint64_t *)address;
}

/* By the address that a map gives it; -1: it gives none. */
__dpa_rpc__ uint64_t exchange(doca_dpa_dev_mmap_t map, uint64_t address, uint64_t value)
{
	uint64_t *word = (uint64_t *)doca_dpa_dev_mmap_get_external_ptr(map, address);
	return word == 0 ? UINT64_MAX : __atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);
}

/* Counts the entries of 0 to num-1 that it finds; removes one; adds one more than there is room for, if asked. */
__dpa_rpc__ uint64_t use_table(doca_dpa_dev_hash_table_t table, uint32_t num, uint64_t overflow)
{
	uint64_t value, found = 0;
	for (uint32_t key = 0; key < num; key++)
		doca_dpa_dev_hash_table_add(table, key * 7, key);
	doca_dpa_dev_hash_table_add(table, 7, 100);
	doca_dpa_dev_hash_table_remove(table, 0);
	doca_dpa_dev_hash_table_remove(table, 0);
	for (uint32_t key = 0; key < num; key++)
		if (doca_dpa_dev_hash_table_find(table, key * 7, &value) == 1)
			found += value;
	if (overflow) {
		doca_dpa_dev_hash_table_add(table, 1, 1);
		doca_dpa_dev_hash_table_add(table, 2, 1);
	}
	return found;
}

__dpa_rpc__ uint64_t copy(doca_dpa_dev_async_ops_t ops, doca_dpa_dev_completion_t completion,
			  doca_dpa_dev_mmap_t dst_map, uint64_t dst, doca_dpa_dev_mmap_t src_map, uint64_t src,
			  uint64_t length, uint64_t flags)
{
	doca_dpa_dev_completion_element_t element;
	doca_dpa_dev_post_memcpy(ops, dst_map, dst, src_map, src, length, (uint32_t)flags);
	if (!doca_dpa_dev_get_completion(completion, &element))
		return UINT64_MAX;
	doca_dpa_dev_completion_ack(completion, 1);
	return (uint64_t)doca_dpa_dev_get_completion_type(element) << 32 |
	       doca_dpa_dev_get_completion_user_data(element);
}

/* Posts two waits, for a value above one and for one that is not another, each with the copy of a byte behind it. */
__dpa_rpc__ uint64_t copy_after(doca_dpa_dev_async_ops_t ops, doca_dpa_dev_sync_event_t event, uint64_t above,
				uint64_t unequal, doca_dpa_dev_mmap_t map, uint64_t dst, uint64_t src)
{
	doca_dpa_dev_sync_event_post_wait_gt(ops, event, above);
	doca_dpa_dev_post_memcpy(ops, map, dst, map, src, 1, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	doca_dpa_dev_sync_event_post_wait_ne(ops, event, unequal);
	doca_dpa_dev_post_memcpy(ops, map, dst + 1, map, src + 1, 1, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	return 0;
}

/* How many operations have completed well; acknowledges them. */
__dpa_rpc__ uint64_t count_completed(doca_dpa_dev_completion_t completion)
{
	doca_dpa_dev_completion_element_t element;
	uint64_t num = 0;
	while (doca_dpa_dev_get_completion(completion, &element)) {
		doca_dpa_dev_completion_ack(completion, 1);
		num += doca_dpa_dev_get_completion_type(element) == DOCA_DPA_DEV_COMP_SEND;
	}
	return num;
}

/* Copies a byte twice: how far the second completion is behind the first, and whether what both say stays. */
__dpa_rpc__ uint64_t count_copies(doca_dpa_dev_async_ops_t ops, doca_dpa_dev_completion_t completion,
				  doca_dpa_dev_mmap_t dst_map, uint64_t dst, doca_dpa_dev_mmap_t src_map, uint64_t src)
{
	doca_dpa_dev_completion_element_t elements[2];
	for (int i = 0; i < 2; i++) {
		doca_dpa_dev_post_memcpy(ops, dst_map, dst, src_map, src, 1, DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
		if (!doca_dpa_dev_get_completion(completion, &elements[i]))
			return UINT64_MAX;
		__dpa_compiler_barrier();
	}
	doca_dpa_dev_completion_ack(completion, 2);
	uint64_t first = doca_dpa_dev_completion_element_get_timestamp(elements[0]);
	uint64_t second = doca_dpa_dev_completion_element_get_timestamp(elements[1]);
	if (first == 0 || second < first || first != doca_dpa_dev_completion_element_get_timestamp(elements[0]))
		return UINT64_MAX;
	if (doca_dpa_dev_get_completion_immediate(elements[1]) != 0)
		return UINT64_MAX;
	return doca_dpa_dev_completion_element_get_wqe_counter(elements[1]) -
	       doca_dpa_dev_completion_element_get_wqe_counter(elements[0]);
}

/* Copies element 0 of the array to element 1. */
__dpa_rpc__ uint64_t copy_elements(doca_dpa_dev_async_ops_t ops, doca_dpa_dev_buf_arr_t array)
{
	doca_dpa_dev_buf_t from = doca_dpa_dev_buf_array_get_buf(array, 0),
			   to = doca_dpa_dev_buf_array_get_buf(array, 1);
	doca_dpa_dev_post_buf_memcpy(ops, to, from,
				     DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH | DOCA_DPA_DEV_SUBMIT_FLAG_OPTIMIZE_REPORTS);
	return doca_dpa_dev_buf_get_external_ptr(from) == doca_dpa_dev_buf_get_addr(from) &&
	       doca_dpa_dev_buf_get_len(to) == doca_dpa_dev_buf_get_len(from);
}

__dpa_rpc__ uint64_t run_for_ever(doca_dpa_dev_uintptr_t stop)
{
	while (__atomic_load_n((uint64_t *)stop, __ATOMIC_RELAXED) == 0)
		__dpa_thread_fence(__DPA_MEMORY, __DPA_R, __DPA_R);
	return 1;
}

/* Any call on a handle that may be wrong. */
__dpa_rpc__ uint64_t misuse(uint64_t which, uint64_t handle)
{
	uint64_t value = 0;
	switch (which) {
	case 0:
		return (uint64_t)doca_dpa_dev_get_completion(handle, &value);
	case 1:
		doca_dpa_dev_completion_ack(handle, 1);
		return 0;
	case 2:
		doca_dpa_dev_completion_request_notification(handle);
		return 0;
	case 3:
		doca_dpa_dev_thread_notify(handle);
		return 0;
	case 4:
		return (uint64_t)doca_dpa_dev_hash_table_find(handle, 1, &value);
	case 5:
		doca_dpa_dev_device_set(handle);
		return 0;
	case 6:
		doca_dpa_dev_sync_event_update_add(handle, 1);
		return 0;
	case 7:
		doca_dpa_dev_post_memcpy(handle, 1, 1, 1, 1, 1, 0);
		return 0;
	case 8:
		return doca_dpa_dev_mmap_get_external_ptr((doca_dpa_dev_mmap_t)handle, 1);
	case 9:
		doca_dpa_dev_thread_reschedule();
		return 7;
	case 10:
		doca_dpa_dev_thread_finish();
		return 7;
	case 11:
		doca_dpa_dev_yield();
		return 0;
	case 12:
		doca_dpa_dev_sync_event_wait_gt(handle, 0, UINT64_MAX);
		return 0;
	case 13:
		doca_dpa_dev_hash_table_add(handle, 1, 1);
		return 0;
	default:
		doca_dpa_dev_sync_event_post_wait_gt(handle, 1, 1);
		return 0;
	}
}

__dpa_rpc__ uint64_t use_completion_of(doca_dpa_dev_t dpa, doca_dpa_dev_completion_t completion)
{
	doca_dpa_dev_completion_element_t element;
	doca_dpa_dev_device_set(dpa);
	return (uint64_t)doca_dpa_dev_get_completion(completion, &element);
}

/* ---- launched kernels ---- */

/* All ranks meet, so that all of them must run at once. */
__dpa_global__ void meet(doca_dpa_dev_uintptr_t memory, uint64_t num)
{
	uint64_t *words = (uint64_t *)memory;
	__atomic_fetch_add(&words[0], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&words[0], __ATOMIC_SEQ_CST) < num)
		doca_dpa_dev_yield();
	words[1 + doca_dpa_dev_thread_rank()] = doca_dpa_dev_num_threads() * 1000 + doca_dpa_dev_thread_rank();
}

/* Waits for one event and changes another. */
__dpa_global__ void answer(doca_dpa_dev_sync_event_t question, doca_dpa_dev_sync_event_t reply)
{
	uint64_t value = 0;
	doca_dpa_dev_sync_event_wait_gt(question, 4, UINT64_MAX);
	doca_dpa_dev_sync_event_get(question, &value);
	doca_dpa_dev_sync_event_update_set(reply, value);
	doca_dpa_dev_sync_event_update_add(reply, 100);
}

/* ---- threads ---- */

struct shared {
	uint64_t runs;
	uint64_t limit; /* it finishes after so many runs */
	uint64_t next;  /* notification of another thread */
	uint64_t storage, rank, size;
};

__dpa_global__ void count_runs(uint64_t argument)
{
	struct shared *shared = (struct shared *)argument;
	shared->storage = doca_dpa_dev_thread_get_local_storage();
	shared->rank = doca_dpa_dev_thread_rank();
	shared->size = doca_dpa_dev_num_threads();
	uint64_t runs = __atomic_add_fetch(&shared->runs, 1, __ATOMIC_SEQ_CST);
	if (shared->next != 0)
		doca_dpa_dev_thread_notify(shared->next);
	if (runs == shared->limit)
		doca_dpa_dev_thread_finish();
	doca_dpa_dev_thread_reschedule();
}

__dpa_global__ void return_at_once(uint64_t argument)
{
	__atomic_add_fetch((uint64_t *)argument, 1, __ATOMIC_SEQ_CST);
}

/* As in a language whose frames no jump may leave. */
__dpa_global__ void end_by_returning(uint64_t argument)
{
	struct shared *shared = (struct shared *)argument;
	uint64_t runs = __atomic_add_fetch(&shared->runs, 1, __ATOMIC_SEQ_CST);
	doca_emu_dpa_end_on_return(runs < shared->limit);
}

/* As in a language with exceptions. */
__dpa_rpc__ uint64_t fail(uint64_t says_why)
{
	doca_emu_dpa_fail(says_why ? "division by zero" : NULL);
	return 7;
}

__dpa_global__ void poll_for_ever(uint64_t argument)
{
	__atomic_store_n((uint64_t *)argument + 1, 1, __ATOMIC_RELAXED); /* it has begun */
	(void)run_for_ever(argument);
	doca_dpa_dev_thread_finish();
}

__dpa_rpc__ uint64_t notify(doca_dpa_dev_notification_completion_t which)
{
	doca_dpa_dev_thread_notify(which);
	return 0;
}
