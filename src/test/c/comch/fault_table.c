/* A pair of well-behaved programs under each fault on demand, at each of their first calls, on either side and on both:
 * the pair comes to its end whenever a real device would let it.
 *
 * Each side is a process of its own (child SERVER|CLIENT CASE) or a thread of one (child THREADS CASE), and says and
 * does the same:
 *
 *   HELLO     at once
 *             ten payloads over the fast path, into three buffers of the peer
 *   SENT      all of them have been sent
 *   MISSING   the answer to it when receives have lost something: what to send again, with another SENT
 *   ALL       all have arrived
 *   BYE       this side's producer and consumer are gone
 *
 * The client stops once both have said BYE, the server once it has heard of that. A submit that answers AGAIN is tried
 * again after some progress, a send that fails is submitted again, and so is a receive. When the connection breaks,
 * everything of it is freed and stopped; then both end, or the client connects anew and both begin from the start, with
 * a server that starts again where a fault has stopped it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW (DOCA_ACCESS_FLAG_LOCAL_READ_WRITE | DOCA_ACCESS_FLAG_PCI_READ_WRITE)

#define PAYLOADS 10u
#define EVERYTHING ((1u << PAYLOADS) - 1)
#define ROOMS 3u
#define ROOM_BYTES 200000u
/* Connections of a side at a time: one, those that have broken, and one that begins before they are gone. */
#define MOST_SESSIONS 8
/* The calls of one side when nothing goes wrong: four messages and the payloads. */
#define CALLS (PAYLOADS + 4)
#define WATCHDOG_MS 60000
#define HUNG 3

/* In the slot, with nothing, eager, between the processes or through the pipe, offered. */
static const uint32_t lengths[PAYLOADS] = {40, 0, 3000, 60000, 200000, 1, 10000, 140000, 96, 30000};

enum word { HELLO, SENT_ALL, MISSING, ALL, BYE, WORDS };

struct talk { /* control messages of one kind */
	struct session *session;
	unsigned wanted, done;
	struct doca_comch_task_send *task;
	bool flying;
	uint8_t bytes[3]; /* until the submit that is accepted */
};

struct payload {
	struct session *session;
	unsigned number;
	struct doca_buf *buf;
	struct doca_comch_producer_task_send *task;
	bool due, flying;
};

struct room { /* a buffer to receive into */
	struct session *session;
	struct doca_buf *buf;
	struct doca_comch_consumer_task_post_recv *task;
	bool flying;
};

/* One connection and all that belongs to it. */
struct session {
	struct program *program;
	struct doca_comch_connection *connection; /* NULL once the library has ended it */
	bool lost, closing, children;
	struct talk talks[WORDS];
	unsigned heard[WORDS];
	struct payload payloads[PAYLOADS];
	bool tell_sent;
	uint32_t peer_consumer;
	struct room rooms[ROOMS];
	unsigned got, lost_receives; /* the latter since the peer was last asked for them */
	struct memory in;
	struct consumer consumer;
	struct producer producer;
};

struct program {
	bool server;
	const char *name, *faults;
	bool struck; /* the faults are this side's */
	/* Stops what is left of a broken connection itself, says HELLO in a loop of its own, has a short queue, and
	 * waits for its sends without a look at the rest. */
	bool hasty;
	bool quits; /* ends with a broken connection */
	struct devices devices;
	struct end end;
	struct doca_pe *data_pe; /* the client's; a server has one for all */
	struct memory out;
	struct session *sessions[MOST_SESSIONS];
	bool over;
	int64_t deadline;
	/* What has happened to it. */
	unsigned connections, attempts, agains, failed_sends, failed_receives;
};

static int64_t clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- the watchdog ---- */

static void print_session(const struct session *session)
{
	fprintf(stderr, "  connection %p%s%s: children %d (consumer %d, producer %d), peer's consumer %u, got %03x\n",
		(void *)session->connection, session->lost ? ", lost" : "", session->closing ? ", closing" : "",
		session->children, session->children ? (int)state_of(session->consumer.ctx) : -1,
		session->children ? (int)state_of(session->producer.ctx) : -1, session->peer_consumer, session->got);
	for (int word = 0; word < WORDS; word++)
		fprintf(stderr, "    %s: wanted %u, kept %d, flying %d, done %u, heard %u\n",
			(const char *[]){"HELLO", "SENT", "MISSING", "ALL", "BYE"}[word], session->talks[word].wanted,
			session->talks[word].task != NULL, session->talks[word].flying, session->talks[word].done,
			session->heard[word]);
	for (unsigned i = 0; i < PAYLOADS; i++)
		if (session->payloads[i].due || session->payloads[i].flying)
			fprintf(stderr, "    payload %u:%s%s\n", i, session->payloads[i].due ? " due" : "",
				session->payloads[i].flying ? " flying" : "");
	for (unsigned i = 0; i < ROOMS; i++)
		fprintf(stderr, "    room %u: %s\n", i, session->rooms[i].flying ? "posted" : "not posted");
}

static void watch(const struct program *program)
{
	if (clock_ms() < program->deadline)
		return;
	fprintf(stderr,
		"the %s hangs: %s, faults %s%s; state %d, %zu in flight, %u connections, %u AGAIN, "
		"failed: %u attempts, %u sends, %u receives\n",
		program->server ? "server" : "client", program->name, program->faults,
		program->struck ? " (its own)" : " (the other's)", (int)state_of(program->end.ctx),
		inflight(program->end.ctx), program->connections, program->agains, program->attempts,
		program->failed_sends, program->failed_receives);
	for (int i = 0; i < MOST_SESSIONS; i++)
		if (program->sessions[i] != NULL)
			print_session(program->sessions[i]);
	_exit(HUNG);
}

/* ---- messages ---- */

/* The answers that tell a program that its connection or its context has gone. */
static bool means_the_end(doca_error_t result)
{
	return result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_BAD_STATE;
}

static void lose(struct session *session, doca_error_t result)
{
	CHECK(means_the_end(result));
	session->lost = true;
}

static void free_talk(struct talk *talk)
{
	if (talk->task != NULL && !talk->flying)
		doca_task_free(doca_comch_task_send_as_task(talk->task));
	if (!talk->flying)
		talk->task = NULL;
	talk->wanted = 0;
}

static bool make_talk(struct talk *talk, uint8_t word)
{
	struct session *session = talk->session;
	unsigned missing = EVERYTHING & ~session->got;
	talk->bytes[0] = word;
	talk->bytes[1] = (uint8_t)missing;
	talk->bytes[2] = (uint8_t)(missing >> 8);
	struct end *end = &session->program->end;
	doca_error_t result = alloc_send(end, session->connection, talk->bytes, sizeof(talk->bytes), &talk->task);
	if (result != DOCA_SUCCESS) {
		talk->task = NULL;
		lose(session, result);
		return false;
	}
	talk->wanted--;
	doca_task_set_user_data(doca_comch_task_send_as_task(talk->task), (union doca_data){.ptr = talk});
	return true;
}

static void say(struct session *session)
{
	for (int word = 0; word < WORDS; word++) {
		struct talk *talk = &session->talks[word];
		if (session->lost || session->connection == NULL)
			free_talk(talk);
		if (talk->flying || (talk->task == NULL && (talk->wanted == 0 || !make_talk(talk, (uint8_t)word))))
			continue;
		doca_error_t result = doca_task_submit(doca_comch_task_send_as_task(talk->task));
		talk->flying = result == DOCA_SUCCESS;
		session->program->agains += result == DOCA_ERROR_AGAIN;
		if (talk->flying || result == DOCA_ERROR_AGAIN)
			continue;
		lose(session, result);
		free_talk(talk);
	}
}

static void message_sent(struct end *end, struct doca_comch_task_send *task, doca_error_t status)
{
	struct talk *talk = doca_task_get_user_data(doca_comch_task_send_as_task(task)).ptr;
	CHECK(talk->flying && talk->task == task);
	talk->flying = false;
	if (status == DOCA_SUCCESS) {
		talk->done++;
		talk->task = NULL;
		doca_task_free(doca_comch_task_send_as_task(task));
	} else {
		((struct program *)end->own)->failed_sends++; /* kept, and submitted again */
	}
}

static void message_received(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	(void)end;
	struct session *session = doca_comch_connection_get_user_data(connection).ptr;
	CHECK(len == 3 && bytes[0] < WORDS);
	session->heard[bytes[0]]++;
	if (bytes[0] != MISSING)
		return;
	unsigned missing = bytes[1] | (unsigned)bytes[2] << 8;
	for (unsigned i = 0; i < PAYLOADS; i++)
		if ((missing >> i & 1) != 0 && !session->payloads[i].flying)
			session->payloads[i].due = true;
	session->tell_sent = true;
}

/* ---- payloads ---- */

static void free_payload(struct payload *payload)
{
	if (payload->task != NULL && !payload->flying)
		doca_task_free(doca_comch_producer_task_send_as_task(payload->task));
	if (!payload->flying)
		payload->task = NULL;
	payload->due = false;
}

static bool make_payload(struct payload *payload)
{
	struct session *session = payload->session;
	uint8_t number = (uint8_t)payload->number;
	doca_error_t result = doca_comch_producer_task_send_alloc_init(
		session->producer.producer, payload->buf, &number, 1, session->peer_consumer, &payload->task);
	if (result != DOCA_SUCCESS) {
		payload->task = NULL;
		lose(session, result);
		return false;
	}
	struct doca_task *base = doca_comch_producer_task_send_as_task(payload->task);
	doca_task_set_user_data(base, (union doca_data){.ptr = payload});
	return true;
}

static void send_payloads(struct session *session)
{
	bool busy = false;
	for (unsigned i = 0; i < PAYLOADS; i++) {
		struct payload *payload = &session->payloads[i];
		if (session->lost || session->connection == NULL || session->heard[ALL] > 0)
			free_payload(payload);
		busy |= payload->flying || payload->due;
		if (payload->flying || !payload->due)
			continue;
		if (session->peer_consumer == 0 || (payload->task == NULL && !make_payload(payload)))
			return;
		doca_error_t result = doca_task_submit(doca_comch_producer_task_send_as_task(payload->task));
		payload->flying = result == DOCA_SUCCESS;
		payload->due = result != DOCA_SUCCESS;
		if (result == DOCA_ERROR_AGAIN) {
			session->program->agains++;
			return; /* those behind it wait too */
		}
		if (payload->flying)
			continue;
		/* A consumer goes once it has everything; that this is so may not have been heard yet. */
		if (result != DOCA_ERROR_INVALID_VALUE)
			lose(session, result);
		free_payload(payload);
	}
	if (!busy && session->tell_sent && !session->lost && session->connection != NULL) {
		session->tell_sent = false;
		session->talks[SENT_ALL].wanted++;
	}
}

static void payload_sent(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status)
{
	struct session *session = producer->own;
	struct payload *payload = doca_task_get_user_data(doca_comch_producer_task_send_as_task(task)).ptr;
	CHECK(payload->flying && payload->task == task && !payload->due);
	payload->flying = false;
	if (status == DOCA_SUCCESS) {
		free_payload(payload);
	} else {
		session->program->failed_sends++;
		payload->due = true;
	}
}

/* ---- receives ---- */

static bool loses(const struct program *program)
{
	return strstr(program->faults, "lose_recv=") != NULL;
}

static void free_room(struct room *room)
{
	if (room->task != NULL && !room->flying)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(room->task));
	if (!room->flying)
		room->task = NULL;
}

static void post_rooms(struct session *session)
{
	for (unsigned i = 0; i < ROOMS; i++) {
		struct room *room = &session->rooms[i];
		if (session->lost || session->closing || session->connection == NULL) {
			free_room(room);
			continue;
		}
		if (room->flying || state_of(session->consumer.ctx) != RUNNING)
			continue;
		if (room->task == NULL)
			OK(doca_comch_consumer_task_post_recv_alloc_init(session->consumer.consumer, room->buf,
									 &room->task));
		struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(room->task);
		doca_task_set_user_data(base, (union doca_data){.ptr = room});
		OK(doca_task_submit(base));
		room->flying = true;
	}
	if (session->heard[SENT_ALL] > 0 && session->lost_receives > 0 && session->got != EVERYTHING) {
		session->lost_receives = session->heard[SENT_ALL] = 0;
		session->talks[MISSING].wanted++;
	}
}

static void payload_received(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			     doca_error_t status)
{
	struct session *session = consumer->own;
	struct room *room = doca_task_get_user_data(doca_comch_consumer_task_post_recv_as_task(task)).ptr;
	CHECK(room->flying && room->task == task);
	room->flying = false;
	size_t len = buf_data_len(room->buf);
	if (status != DOCA_SUCCESS) {
		CHECK(len == 0);
		bool stopped = state_of(consumer->ctx) != RUNNING;
		session->lost_receives += !stopped && loses(session->program);
		session->program->failed_receives += !stopped;
		return;
	}
	CHECK(doca_comch_consumer_task_post_recv_get_imm_data_len(task) == 1);
	unsigned number = doca_comch_consumer_task_post_recv_get_imm_data(task)[0];
	CHECK(number < PAYLOADS && len == lengths[number]);
	void *bytes;
	OK(doca_buf_get_data(room->buf, &bytes));
	CHECK(filled(bytes, len, number));
	OK(doca_buf_reset_data_len(room->buf));
	CHECK(loses(session->program) || (session->got >> number & 1) == 0);
	session->got |= 1u << number;
}

/* ---- connections ---- */

static void open_children(struct session *session)
{
	struct program *program = session->program;
	struct doca_dev *dev = program->server ? program->devices.dpu : program->devices.host;
	memory_open(&session->in, ROOMS * ROOM_BYTES, ROOMS, dev, RW);
	consumer_make(&session->consumer, session->connection, session->in.mmap, ROOMS, program->data_pe);
	session->consumer.own = session;
	session->consumer.on_received = payload_received;
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(session->consumer.ctx));
	producer_make(&session->producer, session->connection, PAYLOADS, program->data_pe);
	session->producer.own = session;
	session->producer.on_sent = payload_sent;
	producer_start(&session->producer);
	session->children = true;
	for (unsigned i = 0; i < ROOMS; i++) {
		struct doca_buf *buf = memory_buf(&session->in, i * ROOM_BYTES, ROOM_BYTES, 0);
		session->rooms[i] = (struct room){.session = session, .buf = buf};
	}
	size_t offset = 0;
	for (unsigned i = 0; i < PAYLOADS; offset += lengths[i++]) {
		struct doca_buf *buf = memory_buf(&program->out, offset, lengths[i], lengths[i]);
		session->payloads[i] = (struct payload){.session = session, .number = i, .buf = buf, .due = true};
	}
}

static void close_children(struct session *session)
{
	for (unsigned i = 0; i < ROOMS; i++) {
		CHECK(session->rooms[i].task == NULL);
		buf_release(session->rooms[i].buf);
	}
	for (unsigned i = 0; i < PAYLOADS; i++) {
		CHECK(session->payloads[i].task == NULL);
		buf_release(session->payloads[i].buf);
	}
	consumer_destroy(&session->consumer);
	producer_destroy(&session->producer);
	memory_close(&session->in);
	session->children = false;
}

static void session_begin(struct program *program, struct doca_comch_connection *connection)
{
	struct session *session = calloc(1, sizeof(*session));
	CHECK(session != NULL);
	*session = (struct session){.program = program, .connection = connection, .tell_sent = true};
	for (int word = 0; word < WORDS; word++)
		session->talks[word].session = session;
	int i = 0;
	while (i < MOST_SESSIONS && program->sessions[i] != NULL)
		i++;
	CHECK(i < MOST_SESSIONS);
	program->sessions[i] = session;
	program->connections++;
	OK(doca_comch_connection_set_user_data(connection, (union doca_data){.ptr = session}));
	open_children(session);
	session->talks[HELLO].wanted = 1;
	/* Nothing but the submit itself is needed for it to succeed. */
	while (program->hasty && !session->talks[HELLO].flying && !session->lost) {
		say(session);
		watch(program);
	}
}

static void stop(struct doca_ctx *ctx)
{
	if (state_of(ctx) != RUNNING)
		return;
	doca_error_t result = doca_ctx_stop(ctx);
	CHECK(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
}

static bool all_idle(const struct session *session)
{
	return state_of(session->consumer.ctx) == IDLE && state_of(session->producer.ctx) == IDLE;
}

static bool sending(const struct session *session)
{
	for (unsigned i = 0; i < PAYLOADS; i++)
		if (session->payloads[i].flying || session->payloads[i].due)
			return true;
	return false;
}

/* A connection that has broken: frees, stops, and does not wait to be told of it when the program is a hasty one. */
static void step_lost(struct session *session)
{
	struct program *program = session->program;
	if (session->children && program->hasty) {
		stop(session->consumer.ctx);
		stop(session->producer.ctx);
	}
	if (session->children && all_idle(session))
		close_children(session);
	if (session->children || !program->hasty || session->connection == NULL)
		return;
	if (!program->server) {
		stop(program->end.ctx);
	} else if (doca_comch_server_disconnect(program->end.server, session->connection) == DOCA_SUCCESS) {
		session->connection = NULL; /* nobody else says so */
	}
}

static void step_sound(struct session *session)
{
	struct program *program = session->program;
	struct talk *talks = session->talks;
	if (session->got == EVERYTHING && talks[ALL].wanted + talks[ALL].done == 0 && talks[ALL].task == NULL)
		talks[ALL].wanted = 1;
	bool complete = talks[ALL].done > 0 && session->heard[ALL] > 0 && !sending(session);
	if (complete && session->children && !session->closing) {
		session->closing = true;
		stop(session->consumer.ctx);
		stop(session->producer.ctx);
	}
	if (session->closing && session->children && all_idle(session)) {
		close_children(session);
		talks[BYE].wanted = 1;
	}
	if (!program->server && talks[BYE].done > 0 && session->heard[BYE] > 0 && !program->over) {
		program->over = true;
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(program->end.ctx));
	}
}

/* True when nothing is left of it. */
static bool session_ended(const struct session *session)
{
	bool left = session->connection != NULL || session->children;
	for (int word = 0; word < WORDS; word++)
		left |= session->talks[word].task != NULL;
	return !left;
}

static void session_step(struct program *program, int place)
{
	struct session *session = program->sessions[place];
	if (session == NULL)
		return;
	say(session);
	if (session->children) {
		send_payloads(session);
		post_rooms(session);
	}
	if (session->lost)
		step_lost(session);
	else if (session->connection != NULL)
		step_sound(session);
	if (!session_ended(session))
		return;
	program->over |= session->lost && program->quits;
	free(session);
	program->sessions[place] = NULL;
}

static void client_changed(struct end *end, enum doca_ctx_states next)
{
	struct program *program = end->own;
	struct session *session = NULL;
	for (int i = 0; i < MOST_SESSIONS && session == NULL; i++)
		session = program->sessions[i];
	if (next == RUNNING)
		session_begin(program, end->connection);
	else if (next == DOCA_CTX_STATE_STOPPING)
		session->lost |= !program->over;
	else if (next == IDLE && session != NULL)
		session->connection = NULL;
	else if (next == IDLE)
		program->attempts++;
}

/* A server that a fault has stopped reports no ends of connections. */
static void server_changed(struct end *end, enum doca_ctx_states next)
{
	struct program *program = end->own;
	for (int i = 0; i < MOST_SESSIONS && next == DOCA_CTX_STATE_STOPPING && !program->over; i++)
		if (program->sessions[i] != NULL) {
			program->sessions[i]->lost = true;
			program->sessions[i]->connection = NULL;
		}
}

static void server_connected(struct end *end, struct doca_comch_connection *connection)
{
	const struct happened *last = &end->record.list[end->record.num - 1];
	if (last->a == 1)
		session_begin(end->own, connection);
}

static void server_disconnected(struct end *end, struct doca_comch_connection *connection)
{
	struct program *program = end->own;
	struct session *session = doca_comch_connection_get_user_data(connection).ptr;
	bool orderly = end->record.list[end->record.num - 1].a == 1;
	session->connection = NULL;
	/* The client may hear BYE, and go, before its having been sent is reported here. */
	const struct talk *bye = &session->talks[BYE];
	bool said = bye->done > 0 || bye->flying;
	if (orderly && said && session->heard[BYE] > 0)
		program->over = true;
	else
		session->lost = true;
}

static void consumer_announced(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new)
{
	(void)end;
	struct session *session = doca_comch_connection_get_user_data(connection).ptr;
	CHECK(is_new || id == session->peer_consumer);
	if (is_new)
		session->peer_consumer = id;
}

/* ---- a program ---- */

static void program_open(struct program *program)
{
	program->deadline = clock_ms() + WATCHDOG_MS;
	program->data_pe = NULL;
	if (program->server) {
		devices_open_dpu(&program->devices);
		server_make(&program->end, &program->devices, program->name, NULL);
		program->data_pe = program->end.pe;
		program->end.on_state = server_changed;
	} else {
		devices_open_host(&program->devices);
		client_make(&program->end, &program->devices, program->name, NULL);
		OK(doca_pe_create(&program->data_pe));
		program->end.on_state = client_changed;
	}
	if (program->hasty && program->server)
		OK(doca_comch_server_set_recv_queue_size(program->end.server, 1));
	else if (program->hasty)
		OK(doca_comch_client_set_recv_queue_size(program->end.client, 1));
	program->end.own = program;
	program->end.on_connect = server_connected;
	program->end.on_disconnect = server_disconnected;
	program->end.on_message = message_received;
	program->end.on_sent = message_sent;
	program->end.on_consumer = consumer_announced;
	size_t size = 0;
	for (unsigned i = 0; i < PAYLOADS; i++)
		size += lengths[i];
	memory_open(&program->out, size, PAYLOADS * MOST_SESSIONS,
		    program->server ? program->devices.dpu : program->devices.host, RW);
	size_t offset = 0;
	for (unsigned i = 0; i < PAYLOADS; offset += lengths[i++])
		fill(program->out.bytes + offset, lengths[i], i);
	if (program->server)
		OK(doca_ctx_start(program->end.ctx));
}

static bool any_session(const struct program *program)
{
	for (int i = 0; i < MOST_SESSIONS; i++)
		if (program->sessions[i] != NULL)
			return true;
	return false;
}

static bool payload_flies(const struct program *program)
{
	for (int i = 0; i < MOST_SESSIONS; i++)
		for (unsigned number = 0; program->sessions[i] != NULL && number < PAYLOADS; number++)
			if (program->sessions[i]->payloads[number].flying)
				return true;
	return false;
}

static void turn(struct program *program)
{
	bool worked = false;
	/* A send needs no progress but its producer's. */
	if (program->data_pe == program->end.pe || !program->hasty || !payload_flies(program))
		worked = drive(program->end.pe) != 0;
	if (program->data_pe != program->end.pe)
		worked |= drive(program->data_pe) != 0;
	for (int i = 0; i < MOST_SESSIONS; i++)
		session_step(program, i);
	watch(program);
	if (!worked)
		usleep(20);
}

static void converse(struct program *program)
{
	while (!program->over || any_session(program)) {
		if (!program->server && !any_session(program) && state_of(program->end.ctx) == IDLE) {
			usleep(500);
			GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(program->end.ctx));
		}
		if (program->server && !program->over && state_of(program->end.ctx) == IDLE)
			OK(doca_ctx_start(program->end.ctx));
		turn(program);
	}
	stop(program->end.ctx);
	while (state_of(program->end.ctx) != IDLE)
		turn(program);
}

/* The number that is asked for, or 0. */
static unsigned number_of(const struct program *program, const char *key)
{
	const char *found = strstr(program->faults, key);
	return found == NULL ? 0 : (unsigned)strtoul(found + strlen(key), NULL, 10);
}

/* A table of faults that do not strike would always be passed; and nothing else may go wrong. `mate` is NULL or the
 * peer, where both are in one process and each fault strikes either. */
static void check_what_struck(const struct program *program, const struct program *mate)
{
	static const struct program nobody;
	if (mate == NULL)
		mate = &nobody;
	if (!program->server && !program->struck)
		CHECK(program->attempts >= number_of(program, "refuse="));
	if (program->struck)
		CHECK(program->agains + mate->agains >= number_of(program, "again="));
	if (number_of(program, "drop=") > 0 || strstr(program->faults, "break_") != NULL) {
		CHECK(program->quits ? program->connections == 1 : program->connections >= 2);
		return;
	}
	unsigned receive = number_of(program, "fail_recv=") + number_of(program, "lose_recv=");
	CHECK(program->connections == 1);
	CHECK(program->failed_sends + mate->failed_sends == (program->struck && number_of(program, "fail_send=") > 0));
	CHECK(program->failed_receives + mate->failed_receives ==
	      (program->struck && receive > 0 && receive <= PAYLOADS));
}

static void program_close(struct program *program)
{
	if (program->data_pe != program->end.pe)
		OK(doca_pe_destroy(program->data_pe));
	end_destroy(&program->end);
	memory_close(&program->out);
	devices_close(&program->devices);
}

static struct program program_of(bool server, const char *text)
{
	static char name[64], faults[64];
	unsigned sides, hasty, quits;
	CHECK(sscanf(text, "%63s %63s %u %u %u", name, faults, &sides, &hasty, &quits) == 5);
	return (struct program){.server = server,
				.name = name,
				.faults = faults,
				.struck = (sides >> server & 1) != 0,
				.hasty = hasty,
				.quits = quits};
}

static void *run(void *argument)
{
	struct program *program = argument;
	program_open(program);
	converse(program);
	program_close(program);
	return NULL;
}

static void run_threads(struct program *server, const char *text)
{
	struct program client = program_of(false, text);
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, run, &client) == 0);
	run(server);
	CHECK(pthread_join(thread, NULL) == 0);
	check_what_struck(server, &client);
	check_what_struck(&client, server);
}

static int child_main(const char *role, const char *text)
{
	struct program program = program_of(strcmp(role, "CLIENT") != 0, text);
	if (program.struck)
		setenv("DOCA_EMU_FAULTS", program.faults, 1);
	if (strcmp(role, "THREADS") == 0) {
		run_threads(&program, text);
		return 0;
	}
	run(&program);
	check_what_struck(&program, NULL);
	return 0;
}

/* ---- the table ---- */

#define AT_A_TIME 4u

/* The sides that faults strike, as bits: the client, the server, both. */
enum { SIDES = 3 };
enum { PATIENT, HASTY, PIPELINE, WAYS, THREADS = WAYS };

struct running {
	char text[200];
	bool direct;
	int server, client; /* the latter 0 where one process is both */
};

static unsigned pairs, bad;

static void finish(const struct running *running)
{
	int server = child_wait(running->server), client = running->client == 0 ? 0 : child_wait(running->client);
	if (server == 0 && client == 0)
		return;
	fprintf(stderr, "\"%s\"%s: the server ended with %d, the client with %d\n", running->text,
		running->direct ? "" : " without direct writes", server, client);
	bad++;
}

/* `faults` with each # replaced. */
static void spell(const char *faults, unsigned number, char *text, size_t size)
{
	size_t length = 0;
	for (const char *c = faults; *c != '\0'; c++)
		length += *c == '#' ? (size_t)snprintf(text + length, size - length, "%u", number)
				    : (size_t)snprintf(text + length, size - length, "%c", *c);
}

static void start(struct running *running, const char *faults, unsigned number, unsigned side, unsigned way, bool quits)
{
	char spelt[64];
	spell(faults, number, spelt, sizeof(spelt));
	running->direct = way != PIPELINE;
	bool hasty = way == HASTY || (way != PATIENT && number % 2 == 0);
	snprintf(running->text, sizeof(running->text), "table-%u %s %u %d %d", pairs++, spelt, side, hasty, quits);
	if (running->direct)
		unsetenv("DOCA_EMU_DIRECT_WRITE");
	else
		setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	running->server = program_start(way == THREADS ? "THREADS" : "SERVER", running->text);
	running->client = way == THREADS ? 0 : program_start("CLIENT", running->text);
}

/* COMCH4J_TEST_QUARTER=0 to 3: only every fourth pair, where a pair is slow. */
static void table(const char *faults, unsigned last, bool quits)
{
	struct running running[AT_A_TIME];
	unsigned started = 0, ended = 0;
	if (getenv("COMCH4J_TEST_LAUNCHER") != NULL)
		last = 2; /* an emulator takes a second to start a process */
	const char *quarter = getenv("COMCH4J_TEST_QUARTER");
	unsigned count = 0;
	bad = 0;
	for (unsigned number = 1; number <= last; number++)
		for (unsigned kind = 0; kind <= SIDES * WAYS; kind++) {
			if (quarter != NULL && count++ % 4 != strtoul(quarter, NULL, 10))
				continue;
			if (started - ended == AT_A_TIME)
				finish(&running[ended++ % AT_A_TIME]);
			unsigned way = kind / SIDES, side = way == THREADS ? SIDES : kind % SIDES + 1;
			start(&running[started++ % AT_A_TIME], faults, number, side, way, quits);
		}
	while (ended < started)
		finish(&running[ended++ % AT_A_TIME]);
	unsetenv("DOCA_EMU_DIRECT_WRITE");
	assert_int_equal(bad, 0);
}

static void refused_clients_try_again(void **state)
{
	(void)state;
	table("refuse=#", 10, false);
}

static void clients_wait_for_their_acceptance(void **state)
{
	(void)state;
	table("accept_delay=#", 10, false);
}

static void submits_that_answer_again_are_repeated(void **state)
{
	(void)state;
	table("again=#", CALLS, false);
}

static void sends_that_fail_are_repeated(void **state)
{
	(void)state;
	table("fail_send=#:IO_FAILED", CALLS, false);
}

static void receives_that_fail_lose_nothing(void **state)
{
	(void)state;
	table("fail_recv=#:IO_FAILED", PAYLOADS, false);
}

static void what_is_lost_in_receives_is_asked_for(void **state)
{
	(void)state;
	table("lose_recv=#:IO_FAILED", PAYLOADS, false);
}

static void after_a_fatal_send_both_begin_anew(void **state)
{
	(void)state;
	table("break_send=#:IO_FAILED", CALLS, false);
}

static void after_a_fatal_send_both_end(void **state)
{
	(void)state;
	table("break_send=#:DRIVER", CALLS, true);
}

static void after_a_fatal_receive_both_begin_anew(void **state)
{
	(void)state;
	table("break_recv=#:IO_FAILED", PAYLOADS, false);
}

static void after_a_drop_both_begin_anew(void **state)
{
	(void)state;
	table("drop=#", CALLS, false);
}

static void after_a_drop_both_end(void **state)
{
	(void)state;
	table("drop=#", CALLS, true);
}

static void what_is_late_arrives(void **state)
{
	(void)state;
	table("latency=#000", 10, false);
}

static void what_is_slow_arrives(void **state)
{
	(void)state;
	table("bandwidth=#0", 10, false);
}

static void several_faults_strike_one_after_the_other(void **state)
{
	(void)state;
	table("again=3,fail_send=#:DRIVER,fail_recv=#:TIME_OUT", PAYLOADS, false);
	table("latency=500,drop=#,again=2", CALLS, false);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return child_main(argv[1], argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused_clients_try_again),
		cmocka_unit_test(clients_wait_for_their_acceptance),
		cmocka_unit_test(submits_that_answer_again_are_repeated),
		cmocka_unit_test(sends_that_fail_are_repeated),
		cmocka_unit_test(receives_that_fail_lose_nothing),
		cmocka_unit_test(what_is_lost_in_receives_is_asked_for),
		cmocka_unit_test(after_a_fatal_send_both_begin_anew),
		cmocka_unit_test(after_a_fatal_send_both_end),
		cmocka_unit_test(after_a_fatal_receive_both_begin_anew),
		cmocka_unit_test(after_a_drop_both_begin_anew),
		cmocka_unit_test(after_a_drop_both_end),
		cmocka_unit_test(what_is_late_arrives),
		cmocka_unit_test(what_is_slow_arrives),
		cmocka_unit_test(several_faults_strike_one_after_the_other),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
