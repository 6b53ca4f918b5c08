#include "slot_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../batch/entries.h"
#include "batch.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_mmap.h"
#include "doca_pe.h"
#include "linked.h"
#include "machine.h"

#define ENDS 4u
#define SLOTS 4u
#define SLOT_BYTES (20u << 10) /* past the eager area */
#define GUARD 64u
#define GUARD_BYTE 0x3c
#define MAX_IMM 32u
#define RING 64u

struct slot_end {
	bool is_open;
	bool has_tasks;
	bool has_left;
	struct doca_comch_consumer *consumer; /* one of the two */
	struct doca_comch_producer *producer;
	struct doca_ctx *ctx;
	struct batch_context context;
	struct batch_slot slots[SLOTS];
	struct batch_data data[SLOTS];
	uint64_t queue[SLOTS];
	bool busy[SLOTS];
	uint8_t imm[SLOTS][MAX_IMM];
};

static uint8_t *memory;
static struct doca_mmap *map;
static struct doca_buf_inventory *inventory;
static struct slot_end ends[ENDS];
static struct batch_engine engine;
static struct batch_entry ring[RING];
static uint32_t head;
static volatile uint8_t sum;

static uint8_t *place(const struct slot_end *end, uint32_t slot)
{
	size_t number = (size_t)(end - ends) * SLOTS + slot;
	return memory + GUARD + number * (SLOT_BYTES + GUARD);
}

static enum doca_ctx_states state_of(const struct slot_end *end)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(end->ctx, &state));
	return state;
}

void slot_ends_init(void)
{
	REQUIRE(batch_init_linked() == 1);
	size_t bytes = GUARD + (size_t)ENDS * SLOTS * (SLOT_BYTES + GUARD);
	memory = malloc(bytes);
	REQUIRE(memory != NULL);
	memset(memory, GUARD_BYTE, bytes);
	OK(doca_mmap_create(&map));
	OK(doca_mmap_set_memrange(map, memory, bytes));
	OK(doca_mmap_set_permissions(map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_set_max_num_devices(map, 2));
	OK(doca_mmap_add_dev(map, dpu));
	OK(doca_mmap_add_dev(map, host));
	OK(doca_mmap_start(map));
	OK(doca_buf_inventory_create(ENDS * SLOTS, &inventory));
	OK(doca_buf_inventory_start(inventory));
}

void slot_ends_begin(struct doca_pe *pe)
{
	memset(ends, 0, sizeof(ends));
	engine = (struct batch_engine){.pe = pe, .ring = ring, .ring_mask = RING - 1};
	head = 0;
}

static bool create(struct slot_end *end, struct doca_comch_connection *connection, bool receives)
{
	if (receives) {
		if (doca_comch_consumer_create(connection, map, &end->consumer) != DOCA_SUCCESS)
			return false;
		end->ctx = doca_comch_consumer_as_ctx(end->consumer);
		bool takes_imm = (end - ends) % 2 == 0;
		if (!takes_imm)
			OK(doca_comch_consumer_set_imm_data_len(end->consumer, 0));
		OK(doca_comch_consumer_task_post_recv_set_conf(
			end->consumer, takes_imm ? comch4j_batch_received : comch4j_batch_received_data,
			comch4j_batch_not_received, SLOTS));
	} else {
		if (doca_comch_producer_create(connection, &end->producer) != DOCA_SUCCESS)
			return false;
		end->ctx = doca_comch_producer_as_ctx(end->producer);
		OK(doca_comch_producer_task_send_set_conf(end->producer, comch4j_batch_sent, comch4j_batch_not_sent,
							  SLOTS));
	}
	return true;
}

struct slot_end *slot_end_open(struct doca_comch_connection *connection, bool receives)
{
	uint32_t number = 0;
	while (number < ENDS && ends[number].is_open)
		number++;
	REQUIRE(number < ENDS);
	struct slot_end *end = &ends[number];
	*end = (struct slot_end){0};
	if (!create(end, connection, receives))
		return NULL;
	end->is_open = true;
	end->context = (struct batch_context){.engine = &engine,
					      .next = engine.contexts,
					      .ctx = end->ctx,
					      .slots = end->slots,
					      .data = end->data,
					      .queue = end->queue,
					      .queue_mask = SLOTS - 1,
					      .index = (uint16_t)number,
					      .kind = receives ? BATCH_RECEIVES : BATCH_SENDS};
	engine.contexts = &end->context;
	OK(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = &end->context}));
	OK(doca_ctx_set_state_changed_cb(end->ctx, comch4j_batch_state));
	OK(doca_pe_connect_ctx(engine.pe, end->ctx));
	(void)doca_ctx_start(end->ctx);
	for (uint32_t i = 0; i < SLOTS; i++)
		OK(doca_buf_inventory_buf_get_by_addr(inventory, map, place(end, i), SLOT_BYTES, &end->slots[i].buf));
	return end;
}

struct doca_ctx *slot_end_ctx(struct slot_end *end)
{
	return end->ctx;
}

static void append(struct slot_end *end, uint32_t queued)
{
	end->queue[end->context.queue_tail++ & (SLOTS - 1)] = queued | UINT64_C(1) << BATCH_ROW_SHIFT;
	engine.queued = 1;
	end->busy[queued & ~BATCH_EMPTY] = true;
}

static void free_task(struct batch_slot *slot)
{
	if (slot->task != NULL)
		doca_task_free(slot->task);
	slot->task = NULL;
}

static void free_idle(struct slot_end *end)
{
	for (uint32_t i = 0; i < SLOTS; i++)
		if (!end->busy[i])
			free_task(&end->slots[i]);
}

static bool is_running(const struct slot_end *end)
{
	return !end->has_left && state_of(end) == DOCA_CTX_STATE_RUNNING;
}

/* ---- what the batch library has collected ---- */

static void look_at_message(const struct slot_end *end, const struct batch_entry *entry)
{
	REQUIRE(entry->data_len <= SLOT_BYTES && entry_len(entry) <= MAX_IMM);
	const uint8_t *bytes = place(end, entry_slot(entry));
	for (uint64_t i = 0; i < entry->data_len; i += 64)
		sum = (uint8_t)(sum + bytes[i]);
	const uint8_t *imm = (const uint8_t *)(uintptr_t)entry->imm;
	for (uint32_t i = 0; i < entry_len(entry); i++)
		sum = (uint8_t)(sum + imm[i]);
}

static void slot_ended(struct slot_end *end, const struct batch_entry *entry)
{
	uint32_t number = entry_slot(entry);
	bool received = end->context.kind == BATCH_RECEIVES && entry_status(entry) == DOCA_SUCCESS;
	REQUIRE(number < SLOTS && end->busy[number] && end->slots[number].task != NULL);
	end->busy[number] = false;
	if (received)
		look_at_message(end, entry);
	if (!is_running(end))
		free_task(&end->slots[number]);
	else if (received)
		append(end, number | BATCH_EMPTY);
}

static void take_entries(void)
{
	for (; head != engine.tail; head++) {
		const struct batch_entry entry = ring[head & (RING - 1)];
		REQUIRE(engine.tail - head <= RING && entry_context(&entry) < ENDS);
		struct slot_end *end = &ends[entry_context(&entry)];
		REQUIRE(end->is_open);
		if (entry_slot(&entry) != BATCH_STATE)
			slot_ended(end, &entry);
		else if (!is_running(end))
			free_idle(end);
	}
}

void slot_ends_progress(void)
{
	(void)comch4j_batch_progress(&engine, 1, 0);
	take_entries();
}

/* ---- use ---- */

static void post_all(struct slot_end *end)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct doca_comch_consumer_task_post_recv *task;
		struct batch_slot *slot = &end->slots[i];
		if (doca_comch_consumer_task_post_recv_alloc_init(end->consumer, slot->buf, &task) != DOCA_SUCCESS)
			continue;
		slot->task = doca_comch_consumer_task_post_recv_as_task(task);
		slot->typed = task;
		doca_task_set_user_data(slot->task, (union doca_data){.u64 = i});
		end->busy[i] = comch4j_batch_submit(&end->context, i) == DOCA_SUCCESS;
	}
}

static void send_one(struct slot_end *end, struct input *in)
{
	uint32_t i = 0;
	while (i < SLOTS && end->busy[i])
		i++;
	if (i == SLOTS)
		return;
	struct batch_slot *slot = &end->slots[i];
	struct batch_data *data = &end->data[i];
	uint8_t how = input_u8(in);
	uint32_t consumer = input_u8(in) % 5;
	uint32_t imm_len = how & 1u ? input_u8(in) % (MAX_IMM + 1) : 0;
	if (slot->task == NULL) {
		struct doca_comch_producer_task_send *task;
		if (doca_comch_producer_task_send_alloc_init(end->producer, slot->buf, NULL, 0, consumer, &task) !=
		    DOCA_SUCCESS)
			return;
		slot->task = doca_comch_producer_task_send_as_task(task);
		slot->typed = task;
		slot->consumer = consumer;
		doca_task_set_user_data(slot->task, (union doca_data){.u64 = i});
	}
	if (slot->consumer != consumer) {
		slot->consumer = consumer;
		slot->changes |= BATCH_CONSUMER;
	}
	data->data = place(end, i);
	data->data_len = how & 2u ? input_u8(in) : input_u16(in) % (SLOT_BYTES + 1);
	input_bytes(in, end->imm[i], imm_len);
	data->imm = imm_len > 0 ? end->imm[i] : NULL;
	data->imm_len = imm_len;
	slot->changes |= BATCH_DATA | BATCH_IMM;
	append(end, i);
	if (how & 4u)
		(void)comch4j_batch_flush(&end->context);
}

void slot_end_use(struct slot_end *end, struct input *in)
{
	if (!is_running(end))
		return;
	if (end->context.kind == BATCH_SENDS) {
		send_one(end, in);
	} else if (!end->has_tasks) {
		end->has_tasks = true;
		post_all(end);
	}
}

/* ---- the end ---- */

void slot_end_leave(struct slot_end *end)
{
	end->has_left = true;
	comch4j_batch_cancel(&end->context, DOCA_ERROR_IO_FAILED);
	take_entries();
	free_idle(end);
}

void slot_end_close(struct slot_end *end)
{
	take_entries();
	struct batch_context **link = &engine.contexts;
	while (*link != &end->context)
		link = &(*link)->next;
	*link = end->context.next;
	if (end->producer != NULL)
		OK(doca_comch_producer_destroy(end->producer));
	else
		OK(doca_comch_consumer_destroy(end->consumer));
	for (uint32_t i = 0; i < SLOTS; i++) {
		REQUIRE(!end->busy[i] && end->slots[i].task == NULL);
		OK(doca_buf_dec_refcount(end->slots[i].buf, NULL));
	}
	end->is_open = false;
}

void slot_ends_check(void)
{
	for (uint32_t number = 0; number <= ENDS * SLOTS; number++)
		for (size_t i = 0; i < GUARD; i++)
			REQUIRE(memory[number * (SLOT_BYTES + GUARD) + i] == GUARD_BYTE);
	uint32_t free_bufs, all_bufs;
	OK(doca_buf_inventory_get_num_free_elements(inventory, &free_bufs));
	OK(doca_buf_inventory_get_num_elements(inventory, &all_bufs));
	REQUIRE(free_bufs == all_bufs);
}
