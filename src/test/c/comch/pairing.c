/* Programs that make many consumers and producers at once and pair them by the order in which they hear of them:
 * eight on either side, greetings in between, payloads over each pair in both directions, then an orderly end.
 * The order of arrival is the only sign of which belong together, so a wrong order either shows in the
 * payloads or leaves both processes waiting.
 *
 * Many rounds, each on a connection of its own; COMCH4J_PAIRING_ROUNDS sets their number. The program starts itself
 * again as the peer: child SERVER ROUNDS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

#define IDLE DOCA_CTX_STATE_IDLE
#define RUNNING DOCA_CTX_STATE_RUNNING
#define RW DOCA_ACCESS_FLAG_PCI_READ_WRITE

#define NAME "pairing"
#define PAIRS 8u
#define POSTS 2u

/* By each way that payloads can take. */
static const size_t sizes[] = {20, 500, 5000, 70000, 3};

#define PAYLOADS (sizeof(sizes) / sizeof(sizes[0]))
#define PLACE (128u << 10)

/* ---- greetings ---- */

enum greeting_kind {
	BEFORE, /* the consumer of this number is started next */
	AFTER,  /* it has just been started, and has this id */
	GOT,    /* it has received all its payloads */
	ENDED,  /* it has just been stopped */
	LEFT,   /* all have been destroyed; the server says so after the client, so that it has heard all when that goes
		 */
};

struct greeting {
	uint32_t kind, number, id;
};

/* ---- one side ---- */

struct party {
	struct devices devices;
	struct doca_dev *dev;
	struct end end;
	struct memory received, sent;
	struct doca_pe *pe; /* of consumers and producers; NULL: one for each */
	uint32_t round;
	unsigned random;

	uint32_t made;
	struct consumer consumers[PAIRS];
	struct producer producers[PAIRS];
	struct doca_buf *posted[PAIRS][POSTS];
	uint32_t num_received[PAIRS];
	uint32_t num_sent[PAIRS]; /* submitted */
	struct doca_buf *in_flight[PAIRS];

	/* What the peer has said. */
	uint32_t heard, peers_ids[PAIRS];
	uint32_t expired, expired_id;
	uint32_t got, ended;
	bool left;

	uint32_t told; /* consumers that have all their payloads, and the peer knows it */
	bool closing, closed, said_left;
};

static unsigned chance(struct party *party)
{
	party->random = party->random * 1103515245u + 12345u;
	return party->random >> 16;
}

/* Where a round stands, and what should hold. */
static const char *standing(const struct party *party, const char *what)
{
	static char text[256];
	snprintf(text, sizeof(text),
		 "%s (round %u of the %s: made %u, heard of %u, expired %u, told %u, got %u, ended %u)", what,
		 (unsigned)party->round, party->end.server != NULL ? "server" : "client", (unsigned)party->made,
		 (unsigned)party->heard, (unsigned)party->expired, (unsigned)party->told, (unsigned)party->got,
		 (unsigned)party->ended);
	return text;
}

#define HOLDS(party, condition)                                                                                        \
	((condition) ? (void)0 : harness_fail(__FILE__, __LINE__, standing((party), #condition)))

static void in_time(const struct party *party, int64_t deadline)
{
	harness_in_time(deadline, __FILE__, __LINE__, standing(party, "the round ends"));
}

static void greet(struct party *party, enum greeting_kind kind, uint32_t number, uint32_t id)
{
	struct greeting greeting = {.kind = kind, .number = number, .id = id};
	send_bytes(&party->end, party->end.connection, &greeting, sizeof(greeting));
}

static void hear_greeting(struct end *end, struct doca_comch_connection *connection, uint8_t *bytes, uint32_t len)
{
	(void)connection;
	struct party *party = end->own;
	struct greeting greeting;
	CHECK(len == sizeof(greeting));
	memcpy(&greeting, bytes, sizeof(greeting));
	switch ((enum greeting_kind)greeting.kind) {
	case BEFORE:
		HOLDS(party, party->heard == greeting.number);
		break;
	case AFTER:
		HOLDS(party, party->heard == greeting.number + 1 && party->peers_ids[greeting.number] == greeting.id);
		break;
	case GOT:
		HOLDS(party, party->got < PAIRS && party->expired == 0);
		party->got++;
		break;
	case ENDED:
		HOLDS(party, party->expired == ++party->ended && party->expired_id == greeting.id);
		break;
	case LEFT:
		HOLDS(party, party->ended == PAIRS);
		party->left = true;
		break;
	default:
		CHECK(false);
	}
}

static void hear_of_consumer(struct end *end, struct doca_comch_connection *connection, uint32_t id, bool is_new)
{
	(void)connection;
	struct party *party = end->own;
	if (is_new) {
		HOLDS(party, party->heard < PAIRS);
		party->peers_ids[party->heard++] = id;
	} else {
		party->expired++;
		party->expired_id = id;
	}
}

/* ---- payloads ---- */

/* The n-th payload of a pair, different in each direction and round. */
static uint64_t seed_of(const struct party *party, bool from_server, uint32_t pair, uint32_t n)
{
	return (((uint64_t)party->round * 2 + from_server) * PAIRS + pair) * PAYLOADS + n;
}

static uint8_t *place_of(const struct party *party, uint32_t pair, uint32_t n)
{
	return party->received.bytes + (size_t)(pair * POSTS + n % POSTS) * PLACE;
}

static void begin_to_receive(struct consumer *consumer, enum doca_ctx_states next)
{
	struct party *party = consumer->own;
	uint32_t pair = (uint32_t)(consumer - party->consumers);
	if (next != RUNNING)
		return;
	for (uint32_t i = 0; i < POSTS; i++) {
		party->posted[pair][i] = memory_buf(&party->received, (size_t)(pair * POSTS + i) * PLACE, PLACE, 0);
		post(consumer, party->posted[pair][i]);
	}
}

static void check_payload(struct consumer *consumer, struct doca_comch_consumer_task_post_recv *task,
			  doca_error_t status)
{
	struct party *party = consumer->own;
	uint32_t pair = (uint32_t)(consumer - party->consumers);
	struct doca_task *base = doca_comch_consumer_task_post_recv_as_task(task);
	struct doca_buf *buf = doca_comch_consumer_task_post_recv_get_buf(task);
	if (status != DOCA_SUCCESS) {
		CHECK(party->closing);
		doca_task_free(base);
		return;
	}
	uint32_t n = party->num_received[pair]++;
	CHECK(n < PAYLOADS && buf == party->posted[pair][n % POSTS] && buf_data_len(buf) == sizes[n]);
	CHECK(filled(place_of(party, pair, n), sizes[n], seed_of(party, party->end.client != NULL, pair, n)));
	OK(doca_buf_reset_data_len(buf));
	OK(doca_task_submit(base));
}

static void payload_sent(struct producer *producer, struct doca_comch_producer_task_send *task, doca_error_t status)
{
	struct party *party = producer->own;
	uint32_t pair = (uint32_t)(producer - party->producers);
	CHECK(status == DOCA_SUCCESS);
	doca_task_free(doca_comch_producer_task_send_as_task(task));
	buf_release(party->in_flight[pair]);
	party->in_flight[pair] = NULL;
}

static void send_payload(struct party *party, uint32_t pair)
{
	uint32_t n = party->num_sent[pair];
	if (pair >= party->heard || n == PAYLOADS || party->in_flight[pair] != NULL)
		return;
	size_t offset = (size_t)pair * PLACE;
	fill(party->sent.bytes + offset, sizes[n], seed_of(party, party->end.server != NULL, pair, n));
	struct doca_buf *buf = memory_buf(&party->sent, offset, sizes[n], sizes[n]);
	doca_error_t result = try_send(&party->producers[pair], party->peers_ids[pair], buf, NULL, 0, NULL);
	if (result == DOCA_SUCCESS) {
		party->in_flight[pair] = buf;
		party->num_sent[pair]++;
	} else {
		CHECK(result == DOCA_ERROR_AGAIN);
		buf_release(buf);
	}
}

/* ---- a round ---- */

static void make_pair_of(struct party *party, uint32_t number)
{
	for (unsigned greetings = chance(party) % 3; greetings > 0; greetings--)
		greet(party, BEFORE, number, 0);
	struct consumer *consumer = &party->consumers[number];
	struct producer *producer = &party->producers[number];
	consumer_make(consumer, party->end.connection, party->received.mmap, POSTS, party->pe);
	consumer->own = party;
	consumer->on_state = begin_to_receive;
	consumer->on_received = check_payload;
	producer_make(producer, party->end.connection, 1, party->pe);
	producer->own = party;
	producer->on_sent = payload_sent;
	producer_start(producer);
	GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_start(consumer->ctx));
	for (unsigned greetings = chance(party) % 3; greetings > 0; greetings--)
		greet(party, AFTER, number, consumer->id);
}

static void make_all(struct end *end, struct doca_comch_connection *connection)
{
	(void)connection;
	struct party *party = end->own;
	/* Every other round all at once, in the callback that tells of the connection. */
	while (party->round % 2 == 0 && party->made < PAIRS)
		make_pair_of(party, party->made++);
}

static void make_all_when_running(struct end *end, enum doca_ctx_states next)
{
	if (next == RUNNING)
		make_all(end, end->connection);
}

static void drive_party(struct party *party)
{
	struct doca_pe *pes[1 + 2 * PAIRS] = {party->end.pe};
	size_t num = 1;
	if (party->pe != NULL && party->pe != party->end.pe)
		pes[num++] = party->pe;
	for (uint32_t i = 0; party->pe == NULL && i < party->made && !party->closed; i++) {
		pes[num++] = party->consumers[i].pe;
		pes[num++] = party->producers[i].pe;
	}
	/* Now this one, now that one; a server's next client belongs to the next round. */
	for (unsigned turns = 1 + chance(party) % 4; turns > 0 && count_of(&party->end.record, DISCONNECTED) == 0;
	     turns--)
		(void)drive(pes[chance(party) % num]);
}

static void stop_all(struct party *party)
{
	party->closing = true;
	for (uint32_t i = 0; i < PAIRS; i++) {
		/* In an order of its own. */
		struct consumer *consumer = &party->consumers[(i * 5 + 3) % PAIRS];
		GIVES(DOCA_ERROR_IN_PROGRESS, doca_ctx_stop(consumer->ctx));
		greet(party, ENDED, 0, consumer->id);
		producer_stop(&party->producers[i]);
	}
}

static void destroy_all(struct party *party)
{
	for (uint32_t i = 0; i < PAIRS; i++)
		if (state_of(party->consumers[i].ctx) != IDLE || state_of(party->producers[i].ctx) != IDLE)
			return;
	for (uint32_t i = 0; i < PAIRS; i++) {
		for (uint32_t j = 0; j < POSTS; j++)
			buf_release(party->posted[i][j]);
		consumer_destroy(&party->consumers[i]);
		producer_destroy(&party->producers[i]);
	}
	party->closed = true;
}

/* Whether everything has been sent and received, as far as this process can see. */
static bool step(struct party *party)
{
	if (party->end.connection != NULL && party->made < PAIRS && party->round % 2 == 1)
		make_pair_of(party, party->made++);
	drive_party(party);
	if (party->made < PAIRS)
		return false;
	if (party->closed) {
		if (!party->said_left && (party->end.client != NULL || party->left)) {
			greet(party, LEFT, 0, 0);
			party->said_left = true;
		}
		return party->said_left && party->left && party->expired == PAIRS;
	}
	if (party->closing) {
		destroy_all(party);
		return false;
	}
	bool busy = false;
	for (uint32_t i = 0; i < PAIRS; i++) {
		send_payload(party, i);
		busy |= party->num_sent[i] < PAYLOADS || party->in_flight[i] != NULL;
	}
	if (party->told < PAIRS && party->num_received[party->told] == PAYLOADS)
		greet(party, GOT, party->told++, 0);
	if (!busy && party->told == PAIRS && party->got == PAIRS)
		stop_all(party);
	return false;
}

static void begin_round(struct party *party, uint32_t round)
{
	struct party fresh = {.devices = party->devices,
			      .dev = party->dev,
			      .end = party->end,
			      .received = party->received,
			      .sent = party->sent,
			      .round = round,
			      .random = round * 7919u + 1};
	*party = fresh;
	if (round % 3 == 0)
		party->pe = party->end.pe;
	else if (round % 3 == 1)
		OK(doca_pe_create(&party->pe));
	/* The next client can have come before the server was told that the one before had gone. */
	if (party->end.connection != NULL)
		make_all(&party->end, party->end.connection);
}

static void end_round(struct party *party)
{
	if (party->pe != NULL && party->pe != party->end.pe)
		OK(doca_pe_destroy(party->pe));
	party->pe = NULL;
}

static void party_open(struct party *party, bool server)
{
	*party = (struct party){0};
	if (server)
		devices_open_dpu(&party->devices);
	else
		devices_open_host(&party->devices);
	party->dev = server ? party->devices.dpu : party->devices.host;
	memory_open(&party->received, (size_t)PAIRS * POSTS * PLACE, PAIRS * POSTS, party->dev, RW);
	memory_open(&party->sent, (size_t)PAIRS * PLACE, PAIRS, party->dev, RW);
	if (!server)
		return;
	server_make(&party->end, &party->devices, NAME, NULL);
	party->end.own = party;
	party->end.on_message = hear_greeting;
	party->end.on_consumer = hear_of_consumer;
	party->end.on_connect = make_all;
	/* Greetings of the client that find no room wait for others. */
	OK(doca_comch_server_set_recv_queue_size(party->end.server, 3));
	OK(doca_ctx_start(party->end.ctx));
}

static void party_close(struct party *party)
{
	if (party->end.server != NULL) {
		(void)doca_ctx_stop(party->end.ctx);
		UNTIL(state_of(party->end.ctx) == IDLE, party->end.pe);
		end_destroy(&party->end);
	}
	memory_close(&party->received);
	memory_close(&party->sent);
	devices_close(&party->devices);
}

/* One step of the client's round, from making the client to its end; true at the end. */
static bool client_step(struct party *party)
{
	struct end *end = &party->end;
	if (end->ctx == NULL) {
		client_make(end, &party->devices, NAME, NULL);
		end->own = party;
		end->on_state = make_all_when_running;
		end->on_message = hear_greeting;
		end->on_consumer = hear_of_consumer;
		if (party->round % 5 == 0)
			OK(doca_comch_client_set_recv_queue_size(end->client, 1));
		begin_round(party, party->round);
	}
	enum doca_ctx_states state = state_of(end->ctx);
	if (state == IDLE && !party->closed)
		(void)doca_ctx_start(end->ctx); /* the server may not be there yet */
	bool done = step(party);
	if (state == RUNNING && done && inflight(end->ctx) == 0)
		(void)doca_ctx_stop(end->ctx);
	if (state_of(end->ctx) != IDLE || !party->closed)
		return false;
	end_round(party);
	end_destroy(end);
	return true;
}

/* The same for the server, which stays. */
static bool server_step(struct party *party)
{
	bool done = step(party);
	if (!done || count_of(&party->end.record, DISCONNECTED) == 0)
		return false;
	CHECK(nth(&party->end.record, DISCONNECTED, 0)->a == 1);
	record_clear(&party->end.record);
	end_round(party);
	return true;
}

static void be_server(uint32_t rounds)
{
	static struct party party;
	party_open(&party, true);
	for (uint32_t round = 0; round < rounds; round++) {
		begin_round(&party, round);
		for (int64_t deadline = harness_deadline(); !server_step(&party);)
			in_time(&party, deadline);
	}
	party_close(&party);
}

static uint32_t rounds_wanted(void)
{
	const char *wanted = getenv("COMCH4J_PAIRING_ROUNDS");
	return wanted == NULL ? 20 : (uint32_t)strtoul(wanted, NULL, 10);
}

/* ---- the tests ---- */

static void between_two_processes(void)
{
	static struct party party;
	char rounds[16];
	snprintf(rounds, sizeof(rounds), "%u", (unsigned)rounds_wanted());
	int child = program_start("SERVER", rounds);
	party_open(&party, false);
	for (party.round = 0; party.round < rounds_wanted(); party.round++)
		for (int64_t deadline = harness_deadline(); !client_step(&party);)
			in_time(&party, deadline);
	party_close(&party);
	assert_int_equal(child_wait(child), 0);
}

static void pairs_between_processes_by_direct_writes(void **state)
{
	(void)state;
	between_two_processes();
}

static void pairs_between_processes_through_shared_memory_only(void **state)
{
	(void)state;
	setenv("DOCA_EMU_DIRECT_WRITE", "0", 1);
	between_two_processes();
	unsetenv("DOCA_EMU_DIRECT_WRITE");
}

static void pairs_within_a_process(void **state)
{
	(void)state;
	static struct party server, client;
	party_open(&server, true);
	party_open(&client, false);
	for (uint32_t round = 0; round < rounds_wanted(); round++) {
		begin_round(&server, round);
		client.round = round;
		bool server_done = false, client_done = false;
		for (int64_t deadline = harness_deadline(); !server_done || !client_done;) {
			in_time(&server, deadline);
			in_time(&client, deadline);
			if (chance(&server) % 2 == 0)
				server_done = server_done || server_step(&server);
			else
				client_done = client_done || client_step(&client);
		}
	}
	party_close(&client);
	party_close(&server);
}

int main(int argc, char **argv)
{
	if (argc == 3) {
		be_server((uint32_t)strtoul(argv[2], NULL, 10));
		return 0;
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_between_processes_by_direct_writes),
		cmocka_unit_test(pairs_between_processes_through_shared_memory_only),
		cmocka_unit_test(pairs_within_a_process),
	};
	return cmocka_run_group_tests(tests, fabric_up, fabric_down);
}
