/* The fuzzer as the peer of a server or client with producers and consumers: it introduces itself with a well-formed or
 * an arbitrary message and an arbitrary descriptor, then writes arbitrary bytes, or nearly right ones, into everything
 * that is shared, while the program at this end goes about its work. Whatever happens, this end must stay within its
 * memory, keep to the rules of DOCA that it can check, stop when it is asked to, and leave nothing behind. Its
 * producers and consumers use DOCA themselves, or are slots on top of the batch library (slot_end.h).
 *
 * One thread, time from world.h: one input always does the same. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fabric.h"
#include "base/shm_map.h"
#include "base/wire.h"
#include "doca_buf.h"
#include "doca_buf_inventory.h"
#include "doca_comch.h"
#include "doca_comch_consumer.h"
#include "doca_comch_producer.h"
#include "doca_ctx.h"
#include "doca_dev.h"
#include "doca_log.h"
#include "doca_mmap.h"
#include "doca_pe.h"
#include "input.h"
#include "machine.h"
#include "slot_end.h"
#include "world.h"

#define NAME "fuzz"
#define MAX_STEPS 512
#define MAX_TASKS 8u /* per pool */
#define MAX_CHILDREN 2
#define QUEUE_SIZE 4u
#define MSG_SIZE 300u
#define RING_BYTES SHM_PAGE /* the least; QUEUE_SIZE messages of MSG_SIZE bytes take less */

#define GUARD 64u
#define GUARD_BYTE 0xc3
#define SMALL_PLACE (32u << 10)
#define LARGE_PLACE ((1u << 20) + (96u << 10)) /* more than the pipeline holds */
#define NUM_PLACES 6u

/* ---- what all inputs share ---- */

static struct doca_mmap *memory_map;
static struct doca_buf_inventory *inventory;
/* Places for received data, each between guards; the same memory is what is sent. */
static uint8_t *memory;
static size_t memory_bytes;

static size_t place_len(uint32_t place)
{
	return place == NUM_PLACES - 1 ? LARGE_PLACE : SMALL_PLACE;
}

static uint8_t *place_start(uint32_t place)
{
	return memory + GUARD + (size_t)place * (SMALL_PLACE + GUARD);
}

static void check_guards(void)
{
	for (uint32_t place = 0; place <= NUM_PLACES; place++)
		for (size_t i = 1; i <= GUARD; i++)
			REQUIRE(place_start(
					place)[-(ptrdiff_t)i + (place == NUM_PLACES ? LARGE_PLACE - SMALL_PLACE : 0)] ==
				GUARD_BYTE);
}

static void check_that_peers_connect(void);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	machine_open();
	memory_bytes = GUARD + NUM_PLACES * (SMALL_PLACE + GUARD) + LARGE_PLACE - SMALL_PLACE;
	memory = malloc(memory_bytes);
	REQUIRE(memory != NULL);
	memset(memory, GUARD_BYTE, memory_bytes);
	OK(doca_mmap_create(&memory_map));
	OK(doca_mmap_set_memrange(memory_map, memory, memory_bytes));
	OK(doca_mmap_set_permissions(memory_map, DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	OK(doca_mmap_set_max_num_devices(memory_map, 2));
	OK(doca_mmap_add_dev(memory_map, dpu));
	OK(doca_mmap_add_dev(memory_map, host));
	OK(doca_mmap_start(memory_map));
	OK(doca_buf_inventory_create(4 * MAX_CHILDREN * MAX_TASKS, &inventory));
	OK(doca_buf_inventory_start(inventory));
	slot_ends_init();
	check_that_peers_connect();
	return 0;
}

/* ---- this end ---- */

struct flight { /* a task of a producer or consumer, and its buf */
	struct doca_task *task;
	struct doca_buf *buf;
	uint32_t place;
};

struct child {
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct slot_end *slots; /* or this */
	struct doca_ctx *ctx;
	struct flight flights[MAX_TASKS];
};

struct peer {
	struct fabric_listener listener; /* for a local client */
	int socket;
	int memory; /* descriptors */
	uint8_t *shared;
	struct shm_half *own, *other;
	enum shm_side side;
	struct shm_doorbells *bells;
	int bells_fd;
	uint64_t sent;     /* messages, by and large */
	uint64_t index;    /* of the buffer that the peer fills or has filled */
	uint64_t taken[4]; /* messages that the peer's consumers are through with */
	uint64_t offers;   /* made by the peer's producers */
	int strangers[4];  /* sockets that have said nothing yet */
};

static const struct peer no_peer = {.socket = -1, .listener = {.dir = -1, .lock = -1, .socket = -1}};

static struct session {
	struct input in;
	bool is_server;
	struct doca_pe *control, *data;
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *sends[MAX_TASKS];
	struct child children[MAX_CHILDREN * 2]; /* producers, then consumers */
	bool places_taken[NUM_PLACES];
	struct peer peer;
	bool in_callback;
	uint32_t restarts;
} s;

/* With the peer, of all inputs. */
static uint64_t connections;

static void enter_callback(void)
{
	REQUIRE(!s.in_callback);
	s.in_callback = true;
}

static void leave_callback(void)
{
	s.in_callback = false;
}

static void message_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
			     struct doca_comch_connection *connection)
{
	(void)event;
	enter_callback();
	REQUIRE(len > 0 && len <= MSG_SIZE && connection != NULL);
	memset(bytes, 1, len);
	leave_callback();
}

static void connected(struct doca_comch_event_connection_status_changed *event,
		      struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event;
	enter_callback();
	/* The others (knock) are only looked at. */
	if (successful && s.connection == NULL) {
		s.connection = connection;
		connections++;
	}
	leave_callback();
}

static void disconnected(struct doca_comch_event_connection_status_changed *event,
			 struct doca_comch_connection *connection, uint8_t successful)
{
	(void)event, (void)successful;
	enter_callback();
	REQUIRE(connection != NULL);
	if (connection == s.connection)
		s.connection = NULL;
	leave_callback();
}

static void consumer_changed(struct doca_comch_event_consumer *event, struct doca_comch_connection *connection,
			     uint32_t id)
{
	(void)event, (void)id;
	enter_callback();
	REQUIRE(connection != NULL);
	leave_callback();
}

static void state_changed(const union doca_data user_data, struct doca_ctx *ctx, enum doca_ctx_states prev,
			  enum doca_ctx_states next)
{
	(void)user_data, (void)prev;
	if (ctx == s.ctx && next == DOCA_CTX_STATE_RUNNING && !s.is_server) {
		OK(doca_comch_client_get_connection(s.client, &s.connection));
		connections++;
	}
	if (ctx == s.ctx && next == DOCA_CTX_STATE_IDLE)
		s.connection = NULL;
}

static void message_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)ctx_data;
	enter_callback();
	REQUIRE(s.sends[task_data.u64] == task);
	s.sends[task_data.u64] = NULL;
	doca_task_free(doca_comch_task_send_as_task(task));
	leave_callback();
}

static void end_flight(struct flight *flight)
{
	doca_task_free(flight->task);
	if (flight->buf != NULL) {
		OK(doca_buf_dec_refcount(flight->buf, NULL));
		s.places_taken[flight->place] = false;
	}
	*flight = (struct flight){0};
}

static void data_sent(struct doca_comch_producer_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)ctx_data;
	enter_callback();
	struct flight *flight = task_data.ptr;
	REQUIRE(flight->task == doca_comch_producer_task_send_as_task(task));
	end_flight(flight);
	leave_callback();
}

static void data_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
			  union doca_data ctx_data)
{
	(void)ctx_data;
	enter_callback();
	struct flight *flight = task_data.ptr;
	REQUIRE(flight->task == doca_comch_consumer_task_post_recv_as_task(task));
	uint32_t imm_len = doca_comch_consumer_task_post_recv_get_imm_data_len(task);
	const uint8_t *imm = doca_comch_consumer_task_post_recv_get_imm_data(task);
	REQUIRE(imm_len <= 32 && (imm != NULL) == (imm_len > 0));
	volatile uint8_t sum = 0;
	for (uint32_t i = 0; i < imm_len; i++)
		sum = (uint8_t)(sum + imm[i]);
	if (flight->buf != NULL) {
		size_t len, data_len;
		void *head, *bytes;
		OK(doca_buf_get_len(flight->buf, &len));
		OK(doca_buf_get_data_len(flight->buf, &data_len));
		OK(doca_buf_get_head(flight->buf, &head));
		OK(doca_buf_get_data(flight->buf, &bytes));
		REQUIRE((uint8_t *)bytes + data_len <= (uint8_t *)head + len);
	}
	end_flight(flight);
	leave_callback();
}

static enum doca_ctx_states state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	OK(doca_ctx_get_state(ctx, &state));
	return state;
}

static void start_endpoint(void)
{
	OK(doca_pe_create(&s.control));
	OK(doca_pe_create(&s.data));
	slot_ends_begin(s.data);
	if (s.is_server) {
		OK(doca_comch_server_create(dpu, rep, NAME, &s.server));
		s.ctx = doca_comch_server_as_ctx(s.server);
		OK(doca_comch_server_set_max_msg_size(s.server, MSG_SIZE));
		OK(doca_comch_server_set_recv_queue_size(s.server, QUEUE_SIZE));
		OK(doca_comch_server_task_send_set_conf(s.server, message_sent, message_sent, MAX_TASKS));
		OK(doca_comch_server_event_msg_recv_register(s.server, message_received));
		OK(doca_comch_server_event_connection_status_changed_register(s.server, connected, disconnected));
		OK(doca_comch_server_event_consumer_register(s.server, consumer_changed, consumer_changed));
	} else {
		OK(doca_comch_client_create(host, NAME, &s.client));
		s.ctx = doca_comch_client_as_ctx(s.client);
		OK(doca_comch_client_set_max_msg_size(s.client, MSG_SIZE));
		OK(doca_comch_client_set_recv_queue_size(s.client, QUEUE_SIZE));
		OK(doca_comch_client_task_send_set_conf(s.client, message_sent, message_sent, MAX_TASKS));
		OK(doca_comch_client_event_msg_recv_register(s.client, message_received));
		OK(doca_comch_client_event_consumer_register(s.client, consumer_changed, consumer_changed));
	}
	OK(doca_ctx_set_state_changed_cb(s.ctx, state_changed));
	OK(doca_pe_connect_ctx(s.control, s.ctx));
	doca_error_t result = doca_ctx_start(s.ctx);
	REQUIRE(result == (s.is_server ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS));
}

static void progress_control(uint32_t times)
{
	while (times-- > 0)
		(void)doca_pe_progress(s.control);
}

static void progress_data(uint32_t times)
{
	while (times-- > 0)
		slot_ends_progress();
}

/* Makes the control path look at its sockets. */
static void progress_slowly(uint32_t times)
{
	while (times-- > 0) {
		world_pass_ms(4);
		(void)doca_pe_progress(s.control);
		slot_ends_progress();
	}
}

static void make_child(uint32_t number)
{
	struct child *child = &s.children[number];
	bool is_producer = number < MAX_CHILDREN;
	if (s.connection == NULL || child->ctx != NULL)
		return;
	if (is_producer) {
		if (doca_comch_producer_create(s.connection, &child->producer) != DOCA_SUCCESS)
			return;
		child->ctx = doca_comch_producer_as_ctx(child->producer);
		OK(doca_comch_producer_task_send_set_conf(child->producer, data_sent, data_sent, MAX_TASKS));
	} else {
		if (doca_comch_consumer_create(s.connection, memory_map, &child->consumer) != DOCA_SUCCESS)
			return;
		child->ctx = doca_comch_consumer_as_ctx(child->consumer);
		OK(doca_comch_consumer_task_post_recv_set_conf(child->consumer, data_received, data_received,
							       MAX_TASKS));
	}
	OK(doca_pe_connect_ctx(s.data, child->ctx));
	(void)doca_ctx_start(child->ctx);
}

static void make_slots(uint32_t number)
{
	struct child *child = &s.children[number];
	if (s.connection == NULL || child->ctx != NULL)
		return;
	child->slots = slot_end_open(s.connection, number >= MAX_CHILDREN);
	if (child->slots != NULL)
		child->ctx = slot_end_ctx(child->slots);
}

static void destroy_child(struct child *child)
{
	if (child->slots != NULL)
		slot_end_close(child->slots);
	else if (child->producer != NULL)
		OK(doca_comch_producer_destroy(child->producer));
	else
		OK(doca_comch_consumer_destroy(child->consumer));
	*child = (struct child){0};
}

static void stop_child(uint32_t number)
{
	struct child *child = &s.children[number];
	if (child->ctx == NULL)
		return;
	if (child->slots != NULL)
		slot_end_leave(child->slots);
	if (state_of(child->ctx) == DOCA_CTX_STATE_IDLE)
		destroy_child(child);
	else
		(void)doca_ctx_stop(child->ctx);
}

static struct flight *free_flight(struct child *child)
{
	for (uint32_t i = 0; i < MAX_TASKS; i++)
		if (child->flights[i].task == NULL)
			return &child->flights[i];
	return NULL;
}

static struct doca_buf *take_buf(uint32_t place, size_t len, size_t data_len)
{
	struct doca_buf *buf;
	OK(doca_buf_inventory_buf_get_by_args(inventory, memory_map, place_start(place), len, place_start(place),
					      data_len, &buf));
	s.places_taken[place] = true;
	return buf;
}

/* A length that takes one of the ways that payloads can go. */
static size_t some_len(size_t room)
{
	size_t len = input_u8(&s.in);
	switch (input_u8(&s.in) % 4) {
	case 0:
		break;
	case 1:
		len += 16u << 10; /* past a slot's eager area */
		break;
	case 2:
		len = room - len;
		break;
	default:
		len *= 64;
		break;
	}
	return len > room ? room : len;
}

/* `room`: of a posted buffer; 0: as large as its place. */
static void post_or_send_with(uint32_t number, size_t room)
{
	struct child *child = &s.children[number];
	if (child->ctx == NULL || state_of(child->ctx) != DOCA_CTX_STATE_RUNNING)
		return;
	if (child->slots != NULL) {
		slot_end_use(child->slots, &s.in);
		return;
	}
	struct flight *flight = free_flight(child);
	uint32_t place = input_u8(&s.in) % (NUM_PLACES + 1);
	if (flight == NULL || (place < NUM_PLACES && s.places_taken[place]))
		return;
	struct flight taken = {.place = place};
	if (place < NUM_PLACES) {
		size_t len = child->consumer == NULL ? some_len(place_len(place)) : room == 0 ? place_len(place) : room;
		size_t data_len = child->consumer == NULL ? len : room == 0 ? input_u8(&s.in) : 0;
		taken.buf = take_buf(place, len, data_len);
	}
	if (child->producer != NULL) {
		struct doca_comch_producer_task_send *task;
		uint8_t imm[32];
		uint32_t imm_len = input_u8(&s.in) % 33;
		input_bytes(&s.in, imm, imm_len);
		if (taken.buf == NULL && imm_len == 0)
			imm_len = 1;
		if (doca_comch_producer_task_send_alloc_init(child->producer, taken.buf, imm, imm_len,
							     input_u8(&s.in) % 5, &task) == DOCA_SUCCESS)
			taken.task = doca_comch_producer_task_send_as_task(task);
	} else {
		struct doca_comch_consumer_task_post_recv *task;
		if (doca_comch_consumer_task_post_recv_alloc_init(child->consumer, taken.buf, &task) == DOCA_SUCCESS)
			taken.task = doca_comch_consumer_task_post_recv_as_task(task);
	}
	/* Tasks that were cancelled in flight can be out of their pool for a while. */
	if (taken.task == NULL) {
		end_flight(&taken);
		return;
	}
	doca_task_set_user_data(taken.task, (union doca_data){.ptr = flight});
	*flight = taken;
	if (doca_task_submit(taken.task) != DOCA_SUCCESS)
		end_flight(flight);
}

static void post_or_send(uint32_t number)
{
	post_or_send_with(number, 0);
}

/* A posted buffer that less fits into than what small payloads can have. */
static void post_small(uint32_t number)
{
	uint8_t room = input_u8(&s.in);
	post_or_send_with(number, room < 0xc0 ? 1 + room % 128u : 1 + 100 * (room & 0x3fu));
}

/* Frees a task, in flight or not. */
static void cancel(uint32_t number)
{
	struct child *child = &s.children[number];
	struct flight *flight = &child->flights[input_u8(&s.in) % MAX_TASKS];
	if (child->ctx != NULL && flight->task != NULL)
		end_flight(flight);
}

static void send_message(void)
{
	if (s.connection == NULL || state_of(s.ctx) != DOCA_CTX_STATE_RUNNING)
		return;
	uint32_t free = 0;
	while (free < MAX_TASKS && s.sends[free] != NULL)
		free++;
	static uint8_t bytes[MSG_SIZE]; /* read by the submit, which may come much later */
	uint32_t len = 1 + input_u16(&s.in) % MSG_SIZE;
	memset(bytes, 7, len);
	struct doca_comch_task_send *task;
	doca_error_t result =
		s.is_server ? doca_comch_server_task_send_alloc_init(s.server, s.connection, bytes, len, &task)
			    : doca_comch_client_task_send_alloc_init(s.client, s.connection, bytes, len, &task);
	if (result != DOCA_SUCCESS)
		return;
	REQUIRE(free < MAX_TASKS);
	struct doca_task *base = doca_comch_task_send_as_task(task);
	doca_task_set_user_data(base, (union doca_data){.u64 = free});
	s.sends[free] = task;
	if (doca_task_submit(base) != DOCA_SUCCESS) {
		s.sends[free] = NULL;
		doca_task_free(base);
	}
}

/* ---- the peer ---- */

static int some_descriptor(uint8_t kind)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	REQUIRE(fd >= 0);
	switch (kind % 7) {
	case 0:
		break;
	case 1:
		REQUIRE(ftruncate(fd, (off_t)SHM_TOTAL_BYTES) == 0);
		break;
	case 2:
		REQUIRE(ftruncate(fd, SHM_PAGE) == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
		break;
	case 3:
		REQUIRE(ftruncate(fd, (off_t)SHM_TOTAL_BYTES) == 0 &&
			fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0);
		break;
	case 4:
		close(fd);
		fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
		break;
	case 5: {
		/* Pages that are not there; whether the size is possible depends on theirs. */
		int huge = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
		if (huge < 0)
			break;
		close(fd);
		fd = huge;
		if (ftruncate(fd, (off_t)SHM_TOTAL_BYTES) == 0)
			(void)fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
		break;
	}
	default:
		close(fd);
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		break;
	}
	return fd;
}

static int sealed(uint64_t bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	REQUIRE(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
	REQUIRE(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
	return fd;
}

/* A handshake message of the peer: a good one, one with some bytes changed, or any bytes with any descriptors. */
static void introduce_peer(enum wire_kind kind, int good_fd)
{
	struct wire_message message;
	wire_init(&message, kind);
	message.max_msg_size = MSG_SIZE;
	message.recv_queue_size = QUEUE_SIZE;
	message.ring_bytes = RING_BYTES;
	message.connection_index = 0;
	memset(message.cookie, 0x11, sizeof(message.cookie));
	strcpy(message.name, NAME);
	uint8_t how = input_u8(&s.in);
	if (how < 0xa0) {
		/* A long queue of short messages has less room for long ones. */
		message.recv_queue_size = how & 8u ? 100 : 1 + (how & 7u);
		send_packet(s.peer.socket, &message, sizeof(message), &good_fd, 1);
		return;
	}
	uint8_t bytes[sizeof(message) + 64] = {0};
	memcpy(bytes, &message, sizeof(message));
	size_t len = sizeof(message);
	for (uint8_t changes = how & 0x0fu; changes > 0; changes--) {
		size_t at = input_u16(&s.in) % len;
		size_t num = 1 + input_u8(&s.in) % 8u;
		input_bytes(&s.in, bytes + at, at + num > len ? len - at : num);
	}
	if (how & 0x10u)
		len = input_u16(&s.in) % sizeof(bytes);
	int fds[8];
	size_t num_fds = 0;
	if (how & 0x40u)
		for (num_fds = 0; num_fds < input_u8(&s.in) % 8u && num_fds < 8; num_fds++)
			fds[num_fds] = num_fds == 0 && how & 1u ? dup(good_fd) : some_descriptor(input_u8(&s.in));
	else
		fds[num_fds++] = dup(good_fd);
	send_packet(s.peer.socket, bytes, len, fds, num_fds);
	for (size_t i = 0; i < num_fds; i++)
		close(fds[i]);
}

static void take_memory(int fd)
{
	s.peer.memory = fd;
	s.peer.shared = mmap(NULL, SHM_TOTAL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	REQUIRE(s.peer.shared != MAP_FAILED);
	struct shm_control *control = (struct shm_control *)s.peer.shared;
	s.peer.own = &control->half[s.peer.side];
	s.peer.other = &control->half[shm_other(s.peer.side)];
}

static void take_bells(int fd)
{
	s.peer.bells_fd = fd;
	s.peer.bells = mmap(NULL, SHM_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(s.peer.bells != MAP_FAILED);
}

/* A descriptor that this end sent, or -1. */
static int hear(void)
{
	struct wire_message message;
	int fd = -1;
	if (s.peer.socket < 0 || wire_receive(s.peer.socket, &message, &fd) != DOCA_SUCCESS)
		return -1;
	return fd;
}

static void peer_of_server(void)
{
	s.peer.side = SHM_CLIENT;
	take_memory(sealed(SHM_TOTAL_BYTES));
	OK(fabric_connect(NULL, host_pci, NAME, &s.peer.socket));
	introduce_peer(WIRE_HELLO, s.peer.memory);
	if (input_u8(&s.in) >= 0xf8) {
		close(s.peer.socket);
		s.peer.socket = -1;
	}
	progress_slowly(3);
	int bells = hear();
	if (bells >= 0)
		take_bells(bells);
}

static void peer_of_client(void)
{
	s.peer.side = SHM_SERVER;
	OK(fabric_listen(NULL, host_pci, NAME, &s.peer.listener));
	progress_control(2);
	s.peer.socket = accept4(s.peer.listener.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	REQUIRE(s.peer.socket >= 0);
	int shared = hear();
	REQUIRE(shared >= 0);
	take_memory(shared);
	take_bells(sealed(SHM_PAGE));
	introduce_peer(WIRE_ACCEPT, s.peer.bells_fd);
	progress_slowly(3);
}

static void ring(void)
{
	if (s.is_server && s.peer.bells != NULL)
		shm_doorbell_set(s.peer.bells, 0);
	else if (!s.is_server)
		atomic_fetch_add(&s.peer.own->bell, 1);
}

static struct shm_region *region(enum shm_side side, uint32_t slot)
{
	return (struct shm_region *)(s.peer.shared + SHM_REGION_OFFSET(side, slot));
}

/* Any bytes into one of the structures. */
static void scribble(void)
{
	uint32_t slot = input_u8(&s.in) % 3;
	enum shm_side side = slot == 2 ? s.peer.side : shm_other(s.peer.side);
	slot = slot == 2 ? 0 : slot;
	uint64_t base, size;
	switch (input_u8(&s.in) % 9) {
	case 0:
		base = 0;
		size = sizeof(struct shm_control);
		break;
	case 1:
		base = SHM_RING_OFFSET(shm_other(s.peer.side));
		size = 8192;
		break;
	case 2:
		base = SHM_RING_OFFSET(s.peer.side);
		size = 8192;
		break;
	case 3:
		base = SHM_REGION_OFFSET(side, slot);
		size = sizeof(struct shm_region);
		break;
	case 4:
		base = SHM_REGION_OFFSET(side, slot) + SHM_REGION_POSTS;
		size = 8 * sizeof(struct shm_post);
		break;
	case 5:
		base = SHM_REGION_OFFSET(side, slot) + SHM_REGION_SLOTS;
		size = 8 * sizeof(struct shm_slot);
		break;
	case 6:
		base = SHM_REGION_OFFSET(side, slot) + SHM_REGION_PIPE;
		size = SHM_PIPE_BYTES;
		break;
	case 8:
		base = SHM_REGION_OFFSET(side, slot) + SHM_REGION_OFFERS;
		size = 8 * sizeof(struct shm_offer);
		break;
	default:
		base = SHM_REGION_OFFSET(side, slot) + SHM_REGION_EAGER;
		size = UINT64_C(16384) * 8;
		break;
	}
	uint8_t bytes[32];
	size_t num = 1 + input_u8(&s.in) % sizeof(bytes);
	input_bytes(&s.in, bytes, num);
	uint64_t at = input_u32(&s.in) % (size - num + 1);
	memcpy(s.peer.shared + base + at, bytes, num);
	ring();
}

/* The next message, or something like it. */
static void send_to_local(void)
{
	uint64_t tail = atomic_load(&s.peer.own->ring_tail);
	uint64_t ring_bytes = RING_BYTES;
	uint64_t offset = tail & (ring_bytes - 1) & ~UINT64_C(15);
	struct shm_record *record =
		(struct shm_record *)(s.peer.shared + SHM_RING_OFFSET(shm_other(s.peer.side)) + offset);
	uint32_t len = (uint32_t)input_near(&s.in, 64) & (input_u8(&s.in) < 0xe0 ? 0xffu : UINT32_MAX);
	uint64_t padded = sizeof(*record) + ((uint64_t)len + 15) / 16 * 16;
	if (offset > 0 && offset + padded > ring_bytes && input_u8(&s.in) < 0xe0) {
		*record = (struct shm_record){.len = SHM_RECORD_WRAP};
		tail += ring_bytes - offset;
		record = (struct shm_record *)(s.peer.shared + SHM_RING_OFFSET(shm_other(s.peer.side)));
	}
	*record =
		(struct shm_record){.len = len, .arrival = input_u8(&s.in) < 0xf0 ? 0 : input_near(&s.in, 1000000000)};
	atomic_store(&s.peer.own->ring_tail, input_u8(&s.in) < 0xe0 ? tail + padded : input_near(&s.in, tail + padded));
	s.peer.sent++;
	ring();
}

/* A message that begins near the end of the ring, and may be longer than what is left of it. As a sender that finds the
 * ring empty may, this one says where the ring begins. */
static void send_near_the_end(void)
{
	uint64_t tail = atomic_load(&s.peer.own->ring_tail);
	uint64_t left = UINT64_C(16) * (1 + input_u8(&s.in) % 16u);
	atomic_store(&s.peer.own->ring_start, tail + left);
	uint8_t *place = s.peer.shared + SHM_RING_OFFSET(shm_other(s.peer.side)) + RING_BYTES - left;
	uint32_t len = (uint32_t)input_near(&s.in, left);
	*(struct shm_record *)place = (struct shm_record){.len = len};
	atomic_store(&s.peer.own->ring_tail, tail + sizeof(struct shm_record) + ((uint64_t)len + 15) / 16 * 16);
	s.peer.sent++;
	ring();
}

static void take_from_local(void)
{
	uint64_t tail = atomic_load(&s.peer.other->ring_tail);
	atomic_store(&s.peer.own->ring_head, input_u8(&s.in) < 0xc0 ? tail : input_near(&s.in, tail));
	uint64_t num = atomic_load(&s.peer.own->ring_head_msgs);
	atomic_store(&s.peer.own->ring_head_msgs, input_near(&s.in, num));
	ring();
}

/* As a good peer would: one message after the other, several laps around the ring. */
static void send_many_messages(void)
{
	for (uint32_t rounds = input_u8(&s.in) % 16u; rounds > 0; rounds--) {
		send_message();
		progress_control(2);
		uint64_t tail = atomic_load(&s.peer.other->ring_tail);
		if (tail == atomic_load(&s.peer.own->ring_head))
			continue;
		atomic_store(&s.peer.own->ring_head, tail);
		atomic_fetch_add(&s.peer.own->ring_head_msgs, 1);
		ring();
	}
}

/* A consumer of the peer. */
static void announce(void)
{
	uint32_t slot = input_u8(&s.in) % 4;
	struct shm_region *r = region(s.peer.side, slot);
	uint8_t many = input_u8(&s.in);
	r->capacity = many < 0xc0 ? 8 : many < 0xe0 ? 64 : (uint32_t)input_near(&s.in, 8);
	r->eager_bytes = input_u8(&s.in) < 0xe0 ? shm_eager_bytes(8) : (uint32_t)input_near(&s.in, 16384);
	r->max_imm_len = input_u8(&s.in) < 0xe0 ? 32 : (uint32_t)input_near(&s.in, 32);
	r->base = input_u8(&s.in) < 0xe0 ? 0 : input_near(&s.in, 0);
	uint8_t how = input_u8(&s.in);
	r->can_fetch = how & 1u;
	r->fits_below = how & 2u ? UINT64_MAX : input_near(&s.in, 4096);
	uint32_t id = how < 0xe0 ? slot + 1 : (uint32_t)input_near(&s.in, 1);
	enum shm_consumer_state state =
		how % 4 == 0 ? (enum shm_consumer_state)(input_u8(&s.in) % 5u) : SHM_CONSUMER_RUNNING;
	/* In its place, or anywhere among the messages and the other announcements. */
	uint8_t where = input_u8(&s.in);
	uint64_t announced = atomic_load(&s.peer.own->announced);
	struct shm_announcement *next = &s.peer.own->announcements[announced % SHM_ANNOUNCEMENTS];
	uint64_t entry = shm_entry(id, how % 8u, state);
	atomic_store(&next->after, where & 2u ? input_near(&s.in, s.peer.sent) : s.peer.sent);
	atomic_store(&next->entry, entry);
	atomic_store(&s.peer.own->directory[slot], entry);
	atomic_store(&s.peer.own->announced, where < 0xf0 ? announced + 1 : input_near(&s.in, announced));
	ring();
}

static void post_to_local(void)
{
	struct shm_region *r = region(s.peer.side, input_u8(&s.in) % 4);
	uint64_t posted = atomic_load(&r->posted);
	struct shm_post *post = &shm_region_posts(r)[posted & 7u];
	post->addr = input_u8(&s.in) < 0xe0 ? 4096 : input_u64(&s.in);
	atomic_store(&post->room, input_near(&s.in, UINT64_C(1) << 20));
	atomic_store(&r->posted, input_u8(&s.in) < 0xe0 ? posted + 1 : input_near(&s.in, posted + 1));
	if (input_u8(&s.in) >= 0xf0)
		atomic_store(&r->claimed, input_near(&s.in, posted));
}

/* The peer's consumer looks at what comes next, and takes a part of it when the pipeline carries it. */
static void take_next_from_local(void)
{
	uint32_t number = input_u8(&s.in) % 4;
	struct shm_region *r = region(s.peer.side, number);
	uint64_t index = s.peer.taken[number];
	uint8_t how = input_u8(&s.in);
	struct shm_slot *slot = &shm_region_slots(r)[index & shm_slot_mask(8)];
	if (atomic_load(&slot->ready) != index + 1 && how < 0xf0)
		return;
	if (slot->payload == SHM_PAYLOAD_FETCH) {
		struct shm_offer *offer = &shm_region_offers(r)[index & 7u];
		uint64_t mark = shm_offer_mark(index, (enum shm_offer_state)(how % 7u));
		uint8_t note = input_u8(&s.in);
		/* What was fetched is noted, or something like it; then the offer may be another's already. */
		if (note & 1u)
			atomic_store(&s.peer.own->fetched[(note < 0xe0 ? offer->place : note) % SHM_PRODUCER_PLACES],
				     note & 2u ? offer->ticket : input_near(&s.in, offer->ticket));
		if (note & 4u)
			mark = shm_offer_mark(index + 8, (enum shm_offer_state)(how % 7u));
		atomic_store(&offer->state, how < 0xe0 ? mark : input_near(&s.in, mark));
	}
	if (slot->payload != SHM_PAYLOAD_PIPE) {
		s.peer.taken[number]++;
		return;
	}
	if (atomic_load(&r->pipe_turn) != index + 1)
		atomic_store(&r->pipe_produced, shm_pipe_mark(index, 0));
	else if (how % 32u == 5)
		atomic_store(&r->pipe_produced, SHM_PIPE_CLOSED);
	uint64_t produced = shm_pipe_bytes(atomic_load(&r->pipe_produced), index);
	atomic_store(&r->pipe_turn, how < 0xe0 ? index + 1 : input_near(&s.in, index + 1));
	atomic_store(&r->pipe_consumed, shm_pipe_mark(index, (how % 8u != 7 ? produced : input_near(&s.in, produced)) &
								     SHM_PIPE_MARK_BYTES));
	if (produced == slot->len)
		s.peer.taken[number]++;
}

/* Producer and consumer of a long transfer take turns. */
static void take_much_from_local(void)
{
	struct input saved = s.in;
	for (uint32_t rounds = 24; rounds > 0; rounds--) {
		s.in = saved;
		take_next_from_local();
		progress_data(2);
	}
}

/* A producer of the peer: fills the next posted buffer. */
static void put_to_local(void)
{
	struct shm_region *r = region(shm_other(s.peer.side), input_u8(&s.in) % 2);
	uint64_t index = atomic_load(&r->claimed);
	uint8_t how = input_u8(&s.in);
	if (how >= 0xe0)
		index = input_near(&s.in, index);
	struct shm_slot *slot = &shm_region_slots(r)[index & shm_slot_mask(8)];
	slot->len = (uint32_t)input_near(&s.in, how & 1u ? 60 : 20000);
	slot->producer_id = input_u8(&s.in);
	slot->payload = how & 2u ? input_u8(&s.in) % 8u : SHM_PAYLOAD_INLINE;
	if (slot->payload == SHM_PAYLOAD_FETCH) {
		struct shm_offer *offer = &shm_region_offers(r)[index & 7u];
		uint8_t state = input_u8(&s.in), who = input_u8(&s.in);
		offer->addr = input_u64(&s.in);
		/* One producer's or another's; a good ticket is newer than all before it. */
		offer->place = who < 0xe0 ? who % 4u : (uint32_t)input_near(&s.in, SHM_PRODUCER_PLACES);
		offer->ticket = who % 8u != 7 ? ++s.peer.offers : input_near(&s.in, s.peer.offers);
		atomic_store(&offer->state,
			     shm_offer_mark(index, state < 0xc0 ? SHM_OFFER_OPEN : (enum shm_offer_state)(state % 7u)));
	}
	slot->imm_len = how & 4u ? input_u8(&s.in) : 4;
	slot->arrival = how & 8u ? 0 : input_near(&s.in, 1000000000);
	atomic_store(&r->claimed, how & 16u ? index + 1 : input_near(&s.in, index + 1));
	if (input_u8(&s.in) < 0xc0)
		atomic_store(&slot->ready, index + 1);
	s.peer.index = index;
}

/* Nearly what fits the next posted buffer, by any way. */
static void put_what_fits_to_local(void)
{
	struct shm_region *r = region(shm_other(s.peer.side), input_u8(&s.in) % 2);
	uint64_t index = atomic_load(&r->claimed);
	struct shm_slot *slot = &shm_region_slots(r)[index & shm_slot_mask(8)];
	*slot = (struct shm_slot){.len = (uint32_t)input_near(&s.in, shm_region_posts(r)[index & 7u].room),
				  .producer_id = 1,
				  .payload = input_u8(&s.in) % 8u};
	if (input_u8(&s.in) >= 0xc0)
		slot->imm_len = input_u8(&s.in) % 64u;
	struct shm_offer *offer = &shm_region_offers(r)[index & 7u];
	*offer = (struct shm_offer){.addr = 4096, .ticket = ++s.peer.offers};
	atomic_store(&offer->state, shm_offer_mark(index, SHM_OFFER_OPEN));
	atomic_store(&r->pipe_turn, index + 1);
	atomic_store(&r->pipe_produced, shm_pipe_mark(index, slot->len));
	atomic_store(&r->claimed, index + 1);
	atomic_store(&slot->ready, index + 1);
	s.peer.index = index;
}

/* A message through the pipeline as it should be, up to the part that the input is about. */
static void put_much_to_local(void)
{
	struct shm_region *r = region(shm_other(s.peer.side), input_u8(&s.in) % 2);
	uint64_t index = atomic_load(&r->claimed) & ~SHM_CLAIM_CLOSED;
	uint8_t how = input_u8(&s.in);
	if (index >= atomic_load(&r->posted))
		return;
	struct shm_slot *slot = &shm_region_slots(r)[index & shm_slot_mask(8)];
	uint64_t len = 30000 + (uint64_t)(how & 0x1fu) * 36000;
	*slot = (struct shm_slot){.len = (uint32_t)len, .producer_id = 1, .payload = SHM_PAYLOAD_PIPE, .imm_len = 3};
	atomic_store(&r->claimed, index + 1);
	atomic_store(&slot->ready, index + 1);
	s.peer.index = index;
	uint64_t produced = 0;
	for (uint32_t rounds = 24; rounds > 0 && produced < len; rounds--) {
		progress_data(2);
		if (atomic_load(&r->pipe_turn) != index + 1)
			continue;
		uint64_t consumed = shm_pipe_bytes(atomic_load(&r->pipe_consumed), index);
		produced += 100000;
		if (produced > len)
			produced = len;
		if (produced > consumed + SHM_PIPE_BYTES)
			produced = consumed + SHM_PIPE_BYTES;
		if (how >= 0xc0 && rounds == 18) {
			produced = input_near(&s.in, produced);
			slot->payload = input_u8(&s.in) % 8u;
			slot->len = (uint32_t)input_near(&s.in, len);
		}
		atomic_store(&r->pipe_produced, shm_pipe_mark(index, produced & SHM_PIPE_MARK_BYTES));
	}
}

static void put_pipe_to_local(void)
{
	struct shm_region *r = region(shm_other(s.peer.side), input_u8(&s.in) % 2);
	uint64_t index = s.peer.index;
	uint64_t produced = shm_pipe_bytes(atomic_load(&r->pipe_produced), index);
	atomic_store(&r->pipe_produced,
		     shm_pipe_mark(index, input_near(&s.in, produced + 16384) & SHM_PIPE_MARK_BYTES));
}

static void confirm_reports(void)
{
	atomic_store(&s.peer.own->told, atomic_load(&s.peer.other->announced));
}

static void poke_socket(void)
{
	if (s.peer.socket < 0)
		return;
	switch (input_u8(&s.in) % 4) {
	case 0:
		close(s.peer.socket);
		s.peer.socket = -1;
		break;
	case 1:
		(void)shutdown(s.peer.socket, SHUT_WR);
		break;
	case 2:
		introduce_peer((enum wire_kind)(input_u8(&s.in) % 4), s.peer.memory);
		break;
	default: {
		/* An empty packet can carry descriptors as well. */
		int fd = some_descriptor(input_u8(&s.in));
		send_packet(s.peer.socket, "", input_u8(&s.in) % 2, &fd, 1);
		close(fd);
		break;
	}
	}
}

/* Others who want to connect, and may take their time. */
static void knock(void)
{
	int *stranger = &s.peer.strangers[input_u8(&s.in) % 4];
	uint8_t how = input_u8(&s.in);
	if (!s.is_server)
		return;
	if (*stranger == 0) {
		if (fabric_connect(NULL, host_pci, NAME, stranger) != DOCA_SUCCESS)
			*stranger = 0;
	} else if (how < 0x80) {
		int mine = s.peer.socket;
		s.peer.socket = *stranger;
		introduce_peer(how < 0x70 ? WIRE_HELLO : WIRE_ACCEPT, s.peer.memory);
		s.peer.socket = mine;
	} else if (how >= 0xc0) {
		close(*stranger);
		*stranger = 0;
	}
	if (how & 1u)
		progress_slowly(1);
}

static void leave_peer(void)
{
	for (int i = 0; i < 4; i++)
		if (s.peer.strangers[i] != 0)
			close(s.peer.strangers[i]);
	if (s.peer.socket >= 0)
		close(s.peer.socket);
	fabric_unlisten(&s.peer.listener);
	munmap(s.peer.shared, SHM_TOTAL_BYTES);
	close(s.peer.memory);
	if (s.peer.bells != NULL) {
		munmap(s.peer.bells, SHM_PAGE);
		close(s.peer.bells_fd);
	}
	s.peer = no_peer;
}

/* The program tries once more, with another peer. */
static void restart(void)
{
	if (state_of(s.ctx) != DOCA_CTX_STATE_IDLE || s.restarts++ == 2)
		return;
	for (uint32_t i = 0; i < 2 * MAX_CHILDREN; i++)
		if (s.children[i].ctx != NULL)
			return;
	leave_peer();
	REQUIRE(doca_ctx_start(s.ctx) == (s.is_server ? DOCA_SUCCESS : DOCA_ERROR_IN_PROGRESS));
	if (s.is_server)
		peer_of_server();
	else
		peer_of_client();
}

/* ---- one input ---- */

static void step(void)
{
	uint8_t what = input_u8(&s.in);
	uint32_t child = what >> 6;
	switch (what & 0x3fu) {
	case 0:
	case 1:
		progress_control(1);
		break;
	case 2:
	case 3:
		progress_data(1);
		break;
	case 4:
		progress_slowly(1 + input_u8(&s.in) % 8u);
		break;
	case 5:
		world_pass_ms((uint64_t)input_u8(&s.in) * 4);
		break;
	case 6:
		progress_data(input_u8(&s.in) % 32u);
		break;
	case 7:
		make_child(child);
		break;
	case 8:
		stop_child(child);
		break;
	case 9:
	case 10:
		post_or_send(child);
		break;
	case 11:
		cancel(child);
		break;
	case 12:
		send_message();
		break;
	case 13:
		if (s.is_server && s.connection != NULL &&
		    doca_comch_server_disconnect(s.server, s.connection) == DOCA_SUCCESS)
			s.connection = NULL;
		break;
	case 14:
		if (child == 3)
			(void)doca_ctx_stop(s.ctx);
		break;
	case 15:
		if (s.connection != NULL)
			(void)doca_comch_connection_update_info(s.connection);
		break;
	case 16:
	case 17:
	case 18:
	case 19:
		scribble();
		break;
	case 20:
	case 21:
		send_to_local();
		break;
	case 22:
		take_from_local();
		break;
	case 23:
		announce();
		break;
	case 24:
	case 25:
		post_to_local();
		break;
	case 26:
		if (child == 0)
			take_much_from_local();
		else
			take_next_from_local();
		break;
	case 27:
	case 28:
	case 29:
		put_to_local();
		break;
	case 30:
		if (child == 0)
			put_much_to_local();
		else
			put_pipe_to_local();
		break;
	case 31:
		confirm_reports();
		break;
	case 32:
		poke_socket();
		break;
	case 33:
		if (s.peer.bells != NULL)
			atomic_store(&s.peer.bells->words[input_u8(&s.in) % SHM_DOORBELL_WORDS], input_u64(&s.in));
		break;
	case 34:
		atomic_store(&s.peer.own->closed, input_u8(&s.in));
		ring();
		break;
	case 35:
		world_remote_write(input_u16(&s.in), input_u8(&s.in) >= 0xc0);
		break;
	case 36:
		knock();
		break;
	case 37:
		(void)fcntl(s.peer.memory, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
		break;
	case 38:
		OK(doca_pe_request_notification(s.control));
		OK(doca_pe_request_notification(s.data));
		break;
	case 39:
		restart();
		break;
	case 40:
		send_many_messages();
		break;
	case 41:
		make_slots(child);
		break;
	case 42:
		send_near_the_end();
		break;
	case 43:
		post_small(child);
		break;
	case 44:
		put_what_fits_to_local();
		progress_data(2);
		break;
	default:
		ring();
		break;
	}
}

/* The program ends its work while the peer stands still. */
static void finish(void)
{
	for (uint32_t round = 0;; round++) {
		REQUIRE(round < 20000);
		bool idle = true;
		for (uint32_t i = 0; i < 2 * MAX_CHILDREN; i++) {
			struct child *child = &s.children[i];
			if (child->ctx == NULL)
				continue;
			if (child->slots != NULL)
				slot_end_leave(child->slots);
			if (state_of(child->ctx) == DOCA_CTX_STATE_IDLE) {
				destroy_child(child);
			} else {
				(void)doca_ctx_stop(child->ctx);
				idle = false;
			}
		}
		if (idle && state_of(s.ctx) == DOCA_CTX_STATE_IDLE)
			break;
		if (idle)
			(void)doca_ctx_stop(s.ctx);
		progress_slowly(1);
	}
	for (uint32_t i = 0; i < MAX_TASKS; i++)
		REQUIRE(s.sends[i] == NULL);
	if (s.is_server)
		OK(doca_comch_server_destroy(s.server));
	else
		OK(doca_comch_client_destroy(s.client));
	OK(doca_pe_destroy(s.control));
	OK(doca_pe_destroy(s.data));
}

static unsigned open_descriptors(void)
{
	struct pollfd all[128];
	unsigned open = 0;
	for (int fd = 0; fd < 128; fd++)
		all[fd] = (struct pollfd){.fd = fd};
	(void)poll(all, 128, 0);
	for (int fd = 0; fd < 128; fd++)
		open += (all[fd].revents & POLLNVAL) == 0;
	return open;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned descriptors = open_descriptors();
	world_reset();
	s = (struct session){.in = {data, size}, .peer = no_peer};
	uint8_t how = input_u8(&s.in);
	s.is_server = how & 1u;
	world_peer_is_remote(how & 2u);
	if (s.is_server) {
		start_endpoint();
		peer_of_server();
	} else {
		/* The client connects in its first progress. */
		start_endpoint();
		peer_of_client();
	}
	/* Most inputs are about what comes after. */
	if (how & 4u) {
		make_child(0);
		make_child(MAX_CHILDREN);
		progress_slowly(3);
	}
	if (how & 8u) {
		make_slots(1);
		make_slots(MAX_CHILDREN + 1);
		progress_slowly(3);
		post_or_send(MAX_CHILDREN + 1);
	}
	for (int steps = 0; steps < MAX_STEPS && s.in.left > 0; steps++)
		step();
	finish();
	leave_peer();
	check_guards();
	slot_ends_check();
	uint32_t free_bufs, all_bufs;
	OK(doca_buf_inventory_get_num_free_elements(inventory, &free_bufs));
	OK(doca_buf_inventory_get_num_elements(inventory, &all_bufs));
	REQUIRE(free_bufs == all_bufs);
	REQUIRE(world_mappings() == 0);
	REQUIRE(open_descriptors() == descriptors);
	return 0;
}

/* A peer that keeps to the protocol gets its connection: otherwise the protocol has changed, and nothing behind the
 * handshake would be tried. */
static void check_that_peers_connect(void)
{
	for (uint8_t is_server = 0; is_server < 2; is_server++) {
		uint8_t with_all_children = 0x0cu | is_server;
		uint64_t before = connections;
		(void)LLVMFuzzerTestOneInput(&with_all_children, 1);
		REQUIRE(connections == before + 1);
	}
}
