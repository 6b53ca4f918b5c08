#include "harness.h"

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 60000

#define DPU_PCI "0000:03:00.0"
#define HOST_PCI "0000:b1:00.0"
#define HOST2_PCI "0000:b1:00.2"

_Noreturn void harness_fail(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s does not hold (process %d)\n", file, line, what, (int)getpid());
	abort();
}

void harness_expect(const char *file, int line, const char *call, doca_error_t got, doca_error_t wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%s:%d: %s gives %s, not %s (process %d)\n", file, line, call, doca_error_get_name(got),
		doca_error_get_name(wanted), (int)getpid());
	abort();
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t harness_deadline(void)
{
	return now_ms() + DEADLINE_MS;
}

void harness_in_time(int64_t deadline, const char *file, int line, const char *what)
{
	if (now_ms() > deadline)
		harness_fail(file, line, what);
}

/* ---- progress ---- */

static _Thread_local unsigned callbacks;
static _Thread_local unsigned depth;

static void callback_begins(void)
{
	if (depth++ == 0)
		callbacks++;
}

static void callback_ends(void)
{
	depth--;
}

uint8_t drive(struct doca_pe *pe)
{
	unsigned before = callbacks;
	uint8_t worked = doca_pe_progress(pe);
	unsigned run = callbacks - before;
	CHECK(worked <= 1);
	CHECK(run <= 1);
	CHECK(run == 0 || worked == 1);
	return worked;
}

/* ---- sleeping ---- */

/* Of the engine, which may use other bounds. */
void emu_pe_set_longest_sleep(uint64_t nanoseconds);

void harness_sleep_for_ever(void)
{
	emu_pe_set_longest_sleep(UINT64_C(3600000000000));
}

int handle_of(struct doca_pe *pe)
{
	doca_notification_handle_t handle;
	OK(doca_pe_get_notification_handle(pe, &handle));
	return handle;
}

bool is_kept_awake(struct doca_pe *pe)
{
	OK(doca_pe_request_notification(pe));
	struct pollfd handle = {.fd = handle_of(pe), .events = POLLIN};
	return poll(&handle, 1, 0) == 1;
}

static void sleep_on_all(struct doca_pe *const *pes, size_t num)
{
	struct pollfd handles[8];
	CHECK(num <= 8);
	for (size_t i = 0; i < num; i++) {
		handles[i] = (struct pollfd){.fd = pes[i] == NULL ? -1 : handle_of(pes[i]), .events = POLLIN};
		if (pes[i] != NULL)
			OK(doca_pe_request_notification(pes[i]));
	}
	CHECK(poll(handles, num, DEADLINE_MS) > 0);
	for (size_t i = 0; i < num; i++)
		if (pes[i] != NULL)
			OK(doca_pe_clear_notification(pes[i], 0));
}

void harness_sleep(struct doca_pe *pe)
{
	sleep_on_all(&pe, 1);
}

static _Atomic enum { ASLEEP_UNKNOWN, ASLEEP_NO, ASLEEP_YES } asleep;

void harness_drive_all(struct doca_pe *const *pes, size_t num)
{
	uint8_t worked = 0;
	for (size_t i = 0; i < num; i++)
		if (pes[i] != NULL)
			worked |= drive(pes[i]);
	if (worked)
		return;
	if (asleep == ASLEEP_UNKNOWN) {
		asleep = getenv("COMCH4J_TEST_ASLEEP") == NULL ? ASLEEP_NO : ASLEEP_YES;
		if (asleep == ASLEEP_YES)
			harness_sleep_for_ever();
	}
	if (asleep == ASLEEP_YES)
		sleep_on_all(pes, num);
	else
		usleep(20); /* the other thread or process may need the processor */
}

void settle(struct doca_pe *pe, struct doca_pe *other)
{
	for (int quiet = 0; quiet < 40; quiet++) {
		if (drive(pe) || (other != NULL && drive(other)))
			quiet = 0;
		usleep(500);
	}
}

/* ---- fabric and devices ---- */

static char fabric[64];

static void remove_fabric(void)
{
	DIR *folder = opendir(fabric);
	if (folder == NULL)
		return;
	for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
		(void)unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	(void)rmdir(fabric);
}

int fabric_up(void **state)
{
	(void)state;
	strcpy(fabric, access("/dev/shm", W_OK) == 0 ? "/dev/shm/doca-emu-XXXXXX" : "/tmp/doca-emu-XXXXXX");
	CHECK(mkdtemp(fabric) != NULL);
	setenv("DOCA_EMU_DIR", fabric, 1);
	return 0;
}

int fabric_down(void **state)
{
	(void)state;
	remove_fabric();
	return 0;
}

struct doca_dev *open_listed(struct doca_devinfo **list, uint32_t num, const char *pci)
{
	struct doca_dev *dev = NULL;
	for (uint32_t i = 0; i < num && dev == NULL; i++) {
		uint8_t equal;
		OK(doca_devinfo_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			OK(doca_dev_open(list[i], &dev));
	}
	OK(doca_devinfo_destroy_list(list));
	CHECK(dev != NULL);
	return dev;
}

struct doca_dev *open_device(const char *pci)
{
	struct doca_devinfo **list;
	uint32_t num;
	OK(doca_devinfo_create_list(&list, &num));
	return open_listed(list, num, pci);
}

static struct doca_dev_rep *open_rep(struct doca_dev *dev, const char *pci)
{
	struct doca_devinfo_rep **list;
	uint32_t num;
	struct doca_dev_rep *rep = NULL;
	OK(doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &num));
	for (uint32_t i = 0; i < num && rep == NULL; i++) {
		uint8_t equal;
		OK(doca_devinfo_rep_is_equal_pci_addr(list[i], pci, &equal));
		if (equal)
			OK(doca_dev_rep_open(list[i], &rep));
	}
	OK(doca_devinfo_rep_destroy_list(list));
	CHECK(rep != NULL);
	return rep;
}

void devices_open_dpu(struct devices *devices)
{
	*devices = (struct devices){.dpu = open_device(DPU_PCI)};
	devices->rep = open_rep(devices->dpu, HOST_PCI);
	devices->rep2 = open_rep(devices->dpu, HOST2_PCI);
}

void devices_open_host(struct devices *devices)
{
	*devices = (struct devices){.host = open_device(HOST_PCI), .host2 = open_device(HOST2_PCI)};
}

void devices_open(struct devices *devices)
{
	devices_open_dpu(devices);
	devices->host = open_device(HOST_PCI);
	devices->host2 = open_device(HOST2_PCI);
}

void devices_close(struct devices *devices)
{
	if (devices->rep != NULL) {
		OK(doca_dev_rep_close(devices->rep));
		OK(doca_dev_rep_close(devices->rep2));
		OK(doca_dev_close(devices->dpu));
	}
	if (devices->host != NULL) {
		OK(doca_dev_close(devices->host));
		OK(doca_dev_close(devices->host2));
	}
}

/* ---- records ---- */

static struct happened *note(struct record *record, enum happening what, uint64_t a, uint64_t b, void *object)
{
	if (record->num == record->capacity) {
		record->capacity = record->capacity == 0 ? 64 : 2 * record->capacity;
		record->list = realloc(record->list, record->capacity * sizeof(record->list[0]));
		CHECK(record->list != NULL);
	}
	struct happened *happened = &record->list[record->num++];
	*happened = (struct happened){.what = what, .a = a, .b = b, .object = object};
	return happened;
}

size_t count_of(const struct record *record, enum happening what)
{
	size_t count = 0;
	for (size_t i = 0; i < record->num; i++)
		count += record->list[i].what == what;
	return count;
}

const struct happened *nth(const struct record *record, enum happening what, size_t n)
{
	for (size_t i = 0; i < record->num; i++)
		if (record->list[i].what == what && n-- == 0)
			return &record->list[i];
	harness_fail(__FILE__, __LINE__, "it has happened");
}

void record_clear(struct record *record)
{
	for (size_t i = 0; i < record->num; i++)
		free(record->list[i].bytes);
	free(record->list);
	*record = (struct record){0};
}

const char *states_of(const struct record *record)
{
	static char text[256];
	size_t length = 0;
	for (size_t i = 0; i < record->num && length + 1 < sizeof(text); i++)
		if (record->list[i].what == STATE)
			text[length++] = "ISRP"[record->list[i].b];
	text[length] = '\0';
	return text;
}

/* ---- callbacks of servers and clients ---- */

static struct end *end_of(struct doca_comch_connection *connection)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(connection);
	CHECK((server == NULL) != (client == NULL));
	union doca_data data;
	OK(doca_ctx_get_user_data(server != NULL ? doca_comch_server_as_ctx(server) : doca_comch_client_as_ctx(client),
				  &data));
	struct end *end = data.ptr;
	CHECK(end->server == server && end->client == client);
	return end;
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			  enum doca_ctx_states next)
{
	callback_begins();
	struct end *end = user_data.ptr;
	CHECK(end->ctx == ctx && prev != next && state_of(ctx) == next);
	note(&end->record, STATE, prev, next, ctx);
	if (next == DOCA_CTX_STATE_RUNNING && end->client != NULL)
		OK(doca_comch_client_get_connection(end->client, &end->connection));
	if (next == DOCA_CTX_STATE_IDLE)
		end->connection = NULL;
	if (end->on_state != NULL)
		end->on_state(end, next);
	callback_ends();
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t change_successful)
{
	callback_begins();
	CHECK(event != NULL);
	struct end *end = end_of(connection);
	note(&end->record, CONNECTED, change_successful, 0, connection);
	if (change_successful)
		end->connection = connection;
	if (end->on_connect != NULL)
		end->on_connect(end, connection);
	callback_ends();
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t change_successful)
{
	callback_begins();
	CHECK(event != NULL);
	struct end *end = end_of(connection);
	note(&end->record, DISCONNECTED, change_successful, doca_comch_connection_get_user_data(connection).u64,
	     connection);
	if (end->connection == connection)
		end->connection = NULL;
	if (end->on_disconnect != NULL)
		end->on_disconnect(end, connection);
	callback_ends();
}

static void received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		     struct doca_comch_connection *connection)
{
	callback_begins();
	CHECK(event != NULL && (uintptr_t)bytes % 8 == 0);
	struct end *end = end_of(connection);
	struct happened *happened = note(&end->record, MESSAGE, len, 0, connection);
	happened->bytes = malloc(len);
	CHECK(happened->bytes != NULL);
	memcpy(happened->bytes, bytes, len);
	memset(bytes, 0xee, len); /* the memory may be written to */
	end->message = bytes;
	if (end->on_message != NULL)
		end->on_message(end, connection, happened->bytes, len);
	callback_ends();
}

static void send_ended(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data,
		       enum happening what)
{
	callback_begins();
	struct end *end = ctx_user_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_task_send_as_task(task));
	CHECK((status == DOCA_SUCCESS) == (what == SENT));
	CHECK(doca_task_get_ctx(doca_comch_task_send_as_task(task)) == end->ctx);
	note(&end->record, what, status, task_user_data.u64, task);
	if (end->on_sent != NULL)
		end->on_sent(end, task, status);
	else if (!end->keep_tasks)
		doca_task_free(doca_comch_task_send_as_task(task));
	callback_ends();
}

static void sent(struct doca_comch_task_send *task, union doca_data task_user_data, union doca_data ctx_user_data)
{
	send_ended(task, task_user_data, ctx_user_data, SENT);
}

static void send_failed(struct doca_comch_task_send *task, union doca_data task_user_data,
			union doca_data ctx_user_data)
{
	send_ended(task, task_user_data, ctx_user_data, SEND_FAILED);
}

static void consumer_event(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			   uint32_t id, bool is_new)
{
	callback_begins();
	CHECK(event != NULL);
	struct end *end = end_of(connection);
	note(&end->record, is_new ? CONSUMER_NEW : CONSUMER_EXPIRED, id, 0, connection);
	if (end->on_consumer != NULL)
		end->on_consumer(end, connection, id, is_new);
	callback_ends();
}

static void consumer_is_new(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			    uint32_t id)
{
	consumer_event(event, connection, id, true);
}

static void consumer_is_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	consumer_event(event, connection, id, false);
}

/* ---- servers and clients ---- */

void server_create(struct end *end, const struct devices *devices, const char *name)
{
	*end = (struct end){0};
	OK(doca_comch_server_create(devices->dpu, devices->rep, name, &end->server));
	end->ctx = doca_comch_server_as_ctx(end->server);
}

void client_create(struct end *end, const struct devices *devices, const char *name)
{
	*end = (struct end){0};
	OK(doca_comch_client_create(devices->host, name, &end->client));
	end->ctx = doca_comch_client_as_ctx(end->client);
}

void end_configure(struct end *end)
{
	/* The largest messages, unless the test has chosen a size: the default depends on the release. */
	uint32_t size = 0;
	if (end->server != NULL) {
		OK(doca_comch_server_get_max_msg_size(end->server, &size));
		if (size == DEFAULT_MAX_MSG_SIZE)
			OK(doca_comch_server_set_max_msg_size(end->server, 4080));
		OK(doca_comch_server_task_send_set_conf(end->server, sent, send_failed, TEST_SEND_TASKS));
		OK(doca_comch_server_event_msg_recv_register(end->server, received));
		OK(doca_comch_server_event_connection_status_changed_register(end->server, connected, disconnected));
		OK(doca_comch_server_event_consumer_register(end->server, consumer_is_new, consumer_is_gone));
	} else {
		OK(doca_comch_client_get_max_msg_size(end->client, &size));
		if (size == DEFAULT_MAX_MSG_SIZE)
			OK(doca_comch_client_set_max_msg_size(end->client, 4080));
		OK(doca_comch_client_task_send_set_conf(end->client, sent, send_failed, TEST_SEND_TASKS));
		OK(doca_comch_client_event_msg_recv_register(end->client, received));
		OK(doca_comch_client_event_consumer_register(end->client, consumer_is_new, consumer_is_gone));
	}
	OK(doca_ctx_set_user_data(end->ctx, (union doca_data){.ptr = end}));
	OK(doca_ctx_set_state_changed_cb(end->ctx, state_changed));
}

void end_connect_pe(struct end *end, struct doca_pe *pe)
{
	end->owns_pe = pe == NULL;
	if (pe == NULL)
		OK(doca_pe_create(&pe));
	end->pe = pe;
	OK(doca_pe_connect_ctx(pe, end->ctx));
}

void server_make(struct end *end, const struct devices *devices, const char *name, struct doca_pe *pe)
{
	server_create(end, devices, name);
	end_configure(end);
	end_connect_pe(end, pe);
}

void client_make(struct end *end, const struct devices *devices, const char *name, struct doca_pe *pe)
{
	client_create(end, devices, name);
	end_configure(end);
	end_connect_pe(end, pe);
}

void end_destroy(struct end *end)
{
	if (end->ctx != NULL) {
		if (end->server != NULL)
			OK(doca_comch_server_destroy(end->server));
		else
			OK(doca_comch_client_destroy(end->client));
	}
	if (end->owns_pe)
		OK(doca_pe_destroy(end->pe));
	record_clear(&end->record);
	*end = (struct end){0};
}

enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(ctx, &state));
	return state;
}

doca_error_t alloc_send(struct end *end, struct doca_comch_connection *connection, const void *bytes, uint32_t len,
			struct doca_comch_task_send **task)
{
	return end->server != NULL ? doca_comch_server_task_send_alloc_init(end->server, connection, bytes, len, task)
				   : doca_comch_client_task_send_alloc_init(end->client, connection, bytes, len, task);
}

struct doca_comch_task_send *send_bytes(struct end *end, struct doca_comch_connection *connection, const void *bytes,
					uint32_t len)
{
	struct doca_comch_task_send *task;
	OK(alloc_send(end, connection, bytes, len, &task));
	OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	return task;
}

void send_text(struct end *end, struct doca_comch_connection *connection, const char *text)
{
	(void)send_bytes(end, connection, text, (uint32_t)strlen(text));
}

bool is_text(const struct happened *message, const char *text)
{
	return message->a == strlen(text) && memcmp(message->bytes, text, strlen(text)) == 0;
}

size_t inflight(struct doca_ctx *ctx)
{
	size_t num;
	OK(doca_ctx_get_num_inflight_tasks(ctx, &num));
	return num;
}

/* ---- pairs ---- */

void pair_make(struct pair *pair, int engines)
{
	devices_open(&pair->devices);
	server_make(&pair->server, &pair->devices, "pair", NULL);
	client_make(&pair->client, &pair->devices, "pair", engines == ONE_ENGINE ? pair->server.pe : NULL);
}

void pair_connect(struct pair *pair)
{
	if (state_of(pair->server.ctx) == DOCA_CTX_STATE_IDLE)
		OK(doca_ctx_start(pair->server.ctx));
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(pair->client.ctx));
	UNTIL(pair->server.connection != NULL && pair->client.connection != NULL, pair->server.pe, pair->client.pe);
}

void pair_open(struct pair *pair, int engines)
{
	pair_make(pair, engines);
	pair_connect(pair);
}

void pair_stop(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		struct end *end = i == 0 ? &pair->client : &pair->server;
		if (end->ctx == NULL || state_of(end->ctx) == DOCA_CTX_STATE_IDLE)
			continue;
		(void)doca_ctx_stop(end->ctx);
		UNTIL(state_of(end->ctx) == DOCA_CTX_STATE_IDLE, pair->server.pe, pair->client.pe);
	}
	end_destroy(&pair->client);
	end_destroy(&pair->server);
	devices_close(&pair->devices);
}

void pair_close(struct pair *pair)
{
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(pair->client.ctx));
	UNTIL(state_of(pair->client.ctx) == DOCA_CTX_STATE_IDLE && pair->server.connection == NULL, pair->server.pe,
	      pair->client.pe);
	CHECK(nth(&pair->server.record, DISCONNECTED, 0)->a == 1);
	pair_stop(pair);
}

/* ---- memory ---- */

#define PAGE 4096

void memory_open(struct memory *memory, size_t size, uint32_t bufs, struct doca_dev *dev, uint32_t permissions)
{
	/* calloc, which need not write zeros into fresh pages: most of a large memory is never looked at. */
	*memory = (struct memory){.size = size, .block = calloc(1, size + PAGE - 1)};
	CHECK(memory->block != NULL);
	memory->bytes = (uint8_t *)(((uintptr_t)memory->block + PAGE - 1) / PAGE * PAGE);
	OK(doca_mmap_create(&memory->mmap));
	OK(doca_mmap_set_memrange(memory->mmap, memory->bytes, size));
	OK(doca_mmap_set_permissions(memory->mmap, permissions));
	OK(doca_mmap_set_max_num_devices(memory->mmap, 4)); /* for memory_share */
	OK(doca_mmap_add_dev(memory->mmap, dev));
	OK(doca_mmap_start(memory->mmap));
	OK(doca_buf_inventory_create(bufs, &memory->inventory));
	OK(doca_buf_inventory_start(memory->inventory));
}

void memory_share(struct memory *memory, struct doca_dev *dev)
{
	OK(doca_mmap_stop(memory->mmap));
	OK(doca_mmap_add_dev(memory->mmap, dev));
	OK(doca_mmap_start(memory->mmap));
}

void memory_close(struct memory *memory)
{
	OK(doca_mmap_destroy(memory->mmap));
	OK(doca_buf_inventory_destroy(memory->inventory));
	free(memory->block);
}

struct doca_buf *memory_buf(struct memory *memory, size_t offset, size_t len, size_t data_len)
{
	struct doca_buf *buf;
	OK(doca_buf_inventory_buf_get_by_args(memory->inventory, memory->mmap, memory->bytes + offset, len,
					      memory->bytes + offset, data_len, &buf));
	return buf;
}

void buf_release(struct doca_buf *buf)
{
	OK(doca_buf_dec_refcount(buf, NULL));
}

size_t buf_data_len(struct doca_buf *buf)
{
	size_t len;
	OK(doca_buf_get_data_len(buf, &len));
	return len;
}

/* ---- contents ---- */

/* Blocks of a table of random bytes, each from another place of it: quick with the thread sanitizer, too, which looks
 * at each access. */
#define BLOCK 4096
#define TABLE (16 * BLOCK)

static uint8_t table[TABLE + BLOCK];
static pthread_once_t table_made = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	uint64_t x = 1;
	for (size_t i = 0; i < sizeof(table); i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		table[i] = (uint8_t)(x >> 56);
	}
}

static const uint8_t *block_of(uint64_t seed, size_t i)
{
	pthread_once(&table_made, make_table);
	uint64_t number = (seed << 20) + i / BLOCK;
	return table + (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) % TABLE;
}

static size_t block_len(size_t i, size_t len)
{
	return len - i < BLOCK ? len - i : BLOCK;
}

void fill(uint8_t *bytes, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += BLOCK)
		memcpy(bytes + i, block_of(seed, i), block_len(i, len));
}

bool filled(const uint8_t *bytes, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i += BLOCK)
		if (memcmp(bytes + i, block_of(seed, i), block_len(i, len)) != 0)
			return false;
	return true;
}

/* ---- consumers and producers ---- */

static void consumer_state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
				   enum doca_ctx_states next)
{
	callback_begins();
	struct consumer *consumer = user_data.ptr;
	CHECK(consumer->ctx == ctx && state_of(ctx) == next);
	note(&consumer->record, STATE, prev, next, ctx);
	if (consumer->on_state != NULL)
		consumer->on_state(consumer, next);
	callback_ends();
}

static void receive_ended(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			  union doca_data ctx_user_data, enum happening what)
{
	callback_begins();
	struct consumer *consumer = ctx_user_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task));
	CHECK((status == DOCA_SUCCESS) == (what == RECEIVED));
	note(&consumer->record, what, status, task_user_data.u64, task);
	if (consumer->on_received != NULL)
		consumer->on_received(consumer, task, status);
	callback_ends();
}

static void receive_done(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			 union doca_data ctx_user_data)
{
	receive_ended(task, task_user_data, ctx_user_data, RECEIVED);
}

static void receive_failed(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
			   union doca_data ctx_user_data)
{
	receive_ended(task, task_user_data, ctx_user_data, RECEIVE_FAILED);
}

static void producer_state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
				   enum doca_ctx_states next)
{
	callback_begins();
	struct producer *producer = user_data.ptr;
	CHECK(producer->ctx == ctx && state_of(ctx) == next);
	note(&producer->record, STATE, prev, next, ctx);
	if (producer->on_state != NULL)
		producer->on_state(producer, next);
	callback_ends();
}

static void put_ended(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		      union doca_data ctx_user_data, enum happening what)
{
	callback_begins();
	struct producer *producer = ctx_user_data.ptr;
	doca_error_t status = doca_task_get_status(doca_comch_producer_task_send_as_task(task));
	CHECK((status == DOCA_SUCCESS) == (what == SENT));
	note(&producer->record, what, status, task_user_data.u64, task);
	if (producer->on_sent != NULL)
		producer->on_sent(producer, task, status);
	callback_ends();
}

static void put_done(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		     union doca_data ctx_user_data)
{
	put_ended(task, task_user_data, ctx_user_data, SENT);
}

static void put_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		       union doca_data ctx_user_data)
{
	put_ended(task, task_user_data, ctx_user_data, SEND_FAILED);
}

static struct doca_pe *connect_to(struct doca_pe *pe, struct doca_ctx *ctx)
{
	if (pe == NULL)
		OK(doca_pe_create(&pe));
	OK(doca_pe_connect_ctx(pe, ctx));
	return pe;
}

void consumer_make(struct consumer *consumer, struct doca_comch_connection *connection, struct doca_mmap *mmap,
		   uint32_t tasks, struct doca_pe *pe)
{
	*consumer = (struct consumer){.owns_pe = pe == NULL};
	OK(doca_comch_consumer_create(connection, mmap, &consumer->consumer));
	OK(doca_comch_consumer_get_id(consumer->consumer, &consumer->id));
	consumer->ctx = doca_comch_consumer_as_ctx(consumer->consumer);
	OK(doca_comch_consumer_task_post_recv_set_conf(consumer->consumer, receive_done, receive_failed, tasks));
	OK(doca_ctx_set_user_data(consumer->ctx, (union doca_data){.ptr = consumer}));
	OK(doca_ctx_set_state_changed_cb(consumer->ctx, consumer_state_changed));
	consumer->pe = connect_to(pe, consumer->ctx);
}

void producer_make(struct producer *producer, struct doca_comch_connection *connection, uint32_t tasks,
		   struct doca_pe *pe)
{
	*producer = (struct producer){.owns_pe = pe == NULL};
	OK(doca_comch_producer_create(connection, &producer->producer));
	producer->ctx = doca_comch_producer_as_ctx(producer->producer);
	OK(doca_comch_producer_task_send_set_conf(producer->producer, put_done, put_failed, tasks));
	OK(doca_ctx_set_user_data(producer->ctx, (union doca_data){.ptr = producer}));
	OK(doca_ctx_set_state_changed_cb(producer->ctx, producer_state_changed));
	producer->pe = connect_to(pe, producer->ctx);
}

void consumer_start(struct consumer *consumer, struct doca_pe *control)
{
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	UNTIL(state_of(consumer->ctx) == DOCA_CTX_STATE_RUNNING, consumer->pe, control);
}

void producer_start(struct producer *producer)
{
	OK(doca_ctx_start(producer->ctx));
}

void consumer_stop(struct consumer *consumer)
{
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
	UNTIL(state_of(consumer->ctx) == DOCA_CTX_STATE_IDLE, consumer->pe);
}

void producer_stop(struct producer *producer)
{
	doca_error_t result = doca_ctx_stop(producer->ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	UNTIL(state_of(producer->ctx) == DOCA_CTX_STATE_IDLE, producer->pe);
}

void consumer_destroy(struct consumer *consumer)
{
	OK(doca_comch_consumer_destroy(consumer->consumer));
	if (consumer->owns_pe)
		OK(doca_pe_destroy(consumer->pe));
	record_clear(&consumer->record);
}

void producer_destroy(struct producer *producer)
{
	OK(doca_comch_producer_destroy(producer->producer));
	if (producer->owns_pe)
		OK(doca_pe_destroy(producer->pe));
	record_clear(&producer->record);
}

doca_error_t try_post(struct consumer *consumer, struct doca_buf *buf, struct doca_comch_consumer_task_post_recv **task)
{
	doca_error_t result = doca_comch_consumer_task_post_recv_alloc_init(consumer->consumer, buf, task);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(*task);
	result = doca_task_submit(base);
	if (result != DOCA_SUCCESS)
		doca_task_free(base);
	return result;
}

struct doca_comch_consumer_task_post_recv *post(struct consumer *consumer, struct doca_buf *buf)
{
	struct doca_comch_consumer_task_post_recv *task;
	OK(try_post(consumer, buf, &task));
	return task;
}

doca_error_t try_send(struct producer *producer, uint32_t to, const struct doca_buf *buf, const void *imm,
		      uint32_t imm_len, struct doca_comch_producer_task_send **task)
{
	struct doca_comch_producer_task_send *made;
	doca_error_t result = doca_comch_producer_task_send_alloc_init(producer->producer, buf,
								       (uint8_t *)(uintptr_t)imm, imm_len, to, &made);
	if (result != DOCA_SUCCESS)
		return result;
	struct doca_task *base = doca_comch_producer_task_send_as_task(made);
	result = doca_task_submit(base);
	if (result != DOCA_SUCCESS)
		doca_task_free(base);
	else if (task != NULL)
		*task = made;
	return result;
}

struct doca_comch_producer_task_send *put(struct producer *producer, uint32_t to, const struct doca_buf *buf)
{
	struct doca_comch_producer_task_send *task;
	OK(try_send(producer, to, buf, NULL, 0, &task));
	return task;
}

void free_received(const struct record *record)
{
	for (size_t i = 0; i < record->num; i++)
		if (record->list[i].what == RECEIVED || record->list[i].what == RECEIVE_FAILED)
			doca_task_free(doca_comch_consumer_task_post_recv_as_task(record->list[i].object));
}

void free_sent(const struct record *record)
{
	for (size_t i = 0; i < record->num; i++)
		if (record->list[i].what == SENT || record->list[i].what == SEND_FAILED)
			doca_task_free(doca_comch_producer_task_send_as_task(record->list[i].object));
}

/* ---- processes ---- */

int child_start(int (*body)(void *argument), void *argument)
{
	fflush(NULL);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid > 0)
		return pid;
	/* cmocka's handlers would carry on with the parent's tests. */
	static const int fatal[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	_exit(body(argument));
}

/* Another architecture's programs are started by an emulator: with its options in COMCH4J_TEST_LAUNCHER. */
static void exec_launcher(const char *role, const char *argument)
{
	const char *launcher = getenv("COMCH4J_TEST_LAUNCHER");
	static char self[4096], words[512];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (launcher == NULL || length <= 0)
		return;
	snprintf(words, sizeof(words), "%s", launcher);
	char *command[16];
	int num = 0;
	for (char *word = strtok(words, " "); word != NULL && num < 11; word = strtok(NULL, " "))
		command[num++] = word;
	char *const rest[] = {self, (char *)(uintptr_t)role, (char *)(uintptr_t)argument, NULL};
	memcpy(&command[num], rest, sizeof(rest));
	execvp(command[0], command);
}

int program_start(const char *role, const char *argument)
{
	fflush(NULL);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		exec_launcher(role, argument);
		execl("/proc/self/exe", "child", role, argument, (char *)NULL);
		_exit(127);
	}
	return pid;
}

int child_wait(int pid)
{
	int status;
	int64_t deadline = harness_deadline();
	for (;;) {
		pid_t ended = waitpid(pid, &status, WNOHANG);
		CHECK(ended >= 0);
		if (ended == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
		if (now_ms() > deadline)
			kill(pid, SIGKILL);
		usleep(1000);
	}
}

void child_kill(int pid)
{
	CHECK(kill(pid, SIGKILL) == 0);
	CHECK(child_wait(pid) == 1000 + SIGKILL);
}
