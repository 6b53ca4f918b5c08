/* The context of a server: its states, and the round through its connections. */
#include "control/server.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "core/release.h"
#include "readings.h"
#include "topology/dev.h"

/* Connections that have ended are kept for late calls; the oldest go first. */
#define MAX_TOMBSTONES 64

static struct doca_comch_server *of_ctx(struct doca_ctx *ctx)
{
	return (struct doca_comch_server *)ctx;
}

static void unmark_ready(struct doca_comch_server *server, uint32_t index)
{
	server->ready[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* ---- connections come and go ---- */

void server_trim_tombstones(struct doca_comch_server *server, uint32_t keep)
{
	struct doca_comch_connection **link = &server->tombstones;
	for (uint32_t kept = 0; *link != NULL;) {
		struct doca_comch_connection *connection = *link;
		if (kept < keep || connection->num_tasks > 0 || connection->disconnect_event_due) {
			kept++;
			link = &connection->next;
		} else {
			*link = connection->next;
			connection_unref(connection);
		}
	}
}

void server_drop_connection(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
	if (connection->socket >= 0)
		epoll_ctl(server->epoll, EPOLL_CTL_DEL, connection->socket, NULL);
	server->connections[connection->index] = NULL;
	server->num_connections--;
	unmark_ready(server, connection->index);
	endpoint_flush_pending(&server->endpoint, connection);
	connection_lose(connection);
	connection->next = server->tombstones;
	server->tombstones = connection;
	/* guard: tombstones */ server_trim_tombstones(server, MAX_TOMBSTONES);
}

void server_end_connection(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
	/* Of one that the program has heard of. */
	if (server->endpoint.strict && !connection->connect_event_due) {
		connection->disconnect_event_due = true;
		server->own_ends++;
	}
	connection_say_goodbye(connection);
	server_drop_connection(server, connection);
}

/* ---- progress ---- */

static void collect_doorbells(struct doca_comch_server *server)
{
	for (uint32_t word = 0; word < SHM_DOORBELL_WORDS; word++) {
		_Atomic uint64_t *bells = &shm_doorbells_of(server->doorbells)->words[word];
		if (atomic_load_explicit(bells, memory_order_relaxed) != 0)
			server->ready[word] |= atomic_exchange_explicit(bells, 0, memory_order_seq_cst);
	}
}

static void report_connection(const struct doca_comch_server *server, struct doca_comch_connection *connection,
			      doca_comch_event_connection_status_changed_cb_t report, bool successful)
{
	struct doca_comch_event_connection_status_changed details = {
		.endpoint = (struct comch_endpoint *)(uintptr_t)&server->endpoint};
	report(&details, connection, successful ? 1 : 0);
}

/* Reports the earliest end of a connection by the server itself that has not been reported. */
static __attribute__((cold)) bool report_own_end(struct doca_comch_server *server)
{
	struct doca_comch_connection *earliest = NULL;
	for (struct doca_comch_connection *ended = server->tombstones; ended != NULL; ended = ended->next)
		if (ended->disconnect_event_due)
			earliest = ended;
	server->own_ends--;
	if (earliest == NULL)
		return false;
	earliest->disconnect_event_due = false;
	report_connection(server, earliest, server->disconnected, true);
	return true;
}

/* Reports at most one event of a connection, which the callback may end. */
static bool serve_connection(struct doca_comch_server *server, struct doca_comch_connection *connection)
{
	if (connection->connect_event_due) {
		connection->connect_event_due = false;
		bool established = atomic_load(&connection->established);
		if (!established)
			server_drop_connection(server, connection);
		report_connection(server, connection, server->connected, established);
		return true;
	}
	if (endpoint_serve(&server->endpoint, connection))
		return true;
	if (!endpoint_connection_ended(connection))
		return false;
	bool goodbye = !connection->broken && connection_peer_closed(connection);
	server_drop_connection(server, connection);
	report_connection(server, connection, server->disconnected, goodbye || READING_END_WITHOUT_GOODBYE);
	return true;
}

static bool serve_connections(struct doca_comch_server *server)
{
	collect_doorbells(server);
	for (uint32_t step = 0; step <= SHM_DOORBELL_WORDS; step++) {
		uint32_t start = server->next_index % 64;
		uint32_t word = server->next_index / 64;
		/* From next_index to the end of its word. */
		for (uint64_t bits = server->ready[word] >> start << start; bits != 0; bits &= bits - 1) {
			uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
			struct doca_comch_connection *connection = server->connections[index];
			if (connection != NULL && serve_connection(server, connection)) {
				server->next_index = (index + 1) % SHM_DOORBELLS;
				return true;
			}
			/* Messages that wait for room, for a start or have not arrived yet are looked at again
			 * without a doorbell, and so are starts. */
			if (connection == NULL ||
			    (connection->tx.pending_first == NULL && connection->tx.travelling_first == NULL &&
			     connection->rx.travelling == 0 && !connection->held &&
			     atomic_load_explicit(&connection->registrations, memory_order_relaxed) == 0))
				unmark_ready(server, index);
		}
		server->next_index = (word + 1) % SHM_DOORBELL_WORDS * 64;
	}
	return false;
}

static void free_resources(struct doca_comch_server *server)
{
	fabric_unlisten(&server->listener);
	if (server->watched_by != NULL)
		emu_sleeper_unwatch(server->watched_by, server->epoll);
	server->watched_by = NULL;
	if (server->epoll >= 0)
		close(server->epoll);
	server->epoll = -1;
	shm_doorbells_release(server->doorbells);
	server->doorbells = NULL;
	endpoint_close(&server->endpoint);
}

/* Says goodbye to every client that has got all its messages; where a send has failed for good, to none. */
static void part_from_clients(struct doca_comch_server *server)
{
	for (uint32_t index = 0; index < SHM_DOORBELLS && server->num_connections > 0; index++) {
		struct doca_comch_connection *connection = server->connections[index];
		if (connection == NULL)
			continue;
		if (server->endpoint.broken) {
			connection_fail(connection);
			server_drop_connection(server, connection);
			continue;
		}
		endpoint_push_pending(&server->endpoint, connection);
		connection_check_socket(connection);
		if (endpoint_still_waits(connection, READING_STOP_GRACE_MS))
			continue;
		server_end_connection(server, connection);
	}
}

static bool finished(struct doca_comch_server *server)
{
	return server->num_connections == 0 && server->own_ends == 0 && task_fifo_empty(&server->endpoint.done) &&
	       emu_ctx_drained(&server->endpoint.ctx);
}

/* A send has failed for good: the context stops, whether or not producers and consumers are active. */
static void break_down(struct doca_comch_server *server)
{
	server_dismiss_strangers(server);
	fabric_unlisten(&server->listener);
	emu_ctx_enter(&server->endpoint.ctx, DOCA_CTX_STATE_STOPPING);
}

static bool server_progress(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	struct comch_endpoint *endpoint = &server->endpoint;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_IDLE))
		return false;
	if (EMU_UNLIKELY(ctx->state == DOCA_CTX_STATE_STOPPING)) {
		if (server->num_connections > 0)
			part_from_clients(server);
		if (endpoint_report_send(endpoint) || (server->own_ends > 0 && report_own_end(server)))
			return true;
		if (!finished(server))
			return false;
		free_resources(server);
		emu_ctx_enter(ctx, DOCA_CTX_STATE_IDLE);
		return true;
	}
	if (EMU_UNLIKELY(endpoint->broken)) {
		if (!endpoint_report_send(endpoint))
			break_down(server);
		return true;
	}
	server->serving = true;
	if (endpoint_round_due(endpoint))
		server_look_at_sockets(server);
	endpoint->receive_first = !endpoint->receive_first;
	bool worked = EMU_UNLIKELY(server->own_ends > 0) ? report_own_end(server)
		      : endpoint->receive_first          ? serve_connections(server) || endpoint_report_send(endpoint)
							 : endpoint_report_send(endpoint) || serve_connections(server);
	server->serving = false;
	return worked;
}

static uint64_t server_due_in(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (ctx->state == DOCA_CTX_STATE_IDLE)
		return EMU_NEVER;
	uint64_t earliest = EMU_NEVER;
	uint32_t left = server->num_connections;
	if (ctx->state == DOCA_CTX_STATE_STOPPING) {
		earliest = READING_NOTIFY_POLL_NS;
		left = 0; /* nothing is received any more */
	}
	for (uint32_t index = 0; left > 0 && index < SHM_DOORBELLS; index++) {
		struct doca_comch_connection *connection = server->connections[index];
		if (connection == NULL)
			continue;
		left--;
		uint64_t due = endpoint_connection_due_in(&server->endpoint, connection);
		if (due == 0)
			server_mark_ready(server, index); /* its doorbell may have been cleared by another client */
		earliest = due < earliest ? due : earliest;
	}
	bool idle = /* guard: server-awake-for-completions=1 */ task_fifo_empty(&server->endpoint.done) &&
		    !server->endpoint.broken &&
		    /* guard: server-awake-for-own-ends=1 */ server->own_ends == 0;
	return idle ? earliest : 0;
}

static bool server_arm(struct doca_ctx *ctx, struct emu_sleeper *sleeper)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (ctx->state != DOCA_CTX_STATE_RUNNING)
		return true;
	if (server->watched_by == NULL &&
	    emu_sleeper_watch(sleeper, server->epoll, endpoint_socket_ready, &server->endpoint))
		server->watched_by = sleeper;
	bool reliable = server->watched_by != NULL;
	for (uint32_t index = 0, left = server->num_connections; left > 0 && index < SHM_DOORBELLS; index++) {
		if (server->connections[index] == NULL)
			continue;
		left--;
		if (!endpoint_arm_connection(server->connections[index], sleeper, NULL))
			reliable = false;
	}
	return reliable;
}

static void server_disarm(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	for (uint32_t index = 0, left = server->num_connections; left > 0 && index < SHM_DOORBELLS; index++) {
		if (server->connections[index] == NULL)
			continue;
		left--;
		endpoint_disarm_connection(server->connections[index]);
	}
}

static doca_error_t server_start(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (server->connected == NULL)
		return emu_release.start_unconfigured;
	server_trim_tombstones(server, 0);
	doca_error_t result = endpoint_open(&server->endpoint);
	if (result != DOCA_SUCCESS)
		return result;
	result = fabric_listen(emu_dev_folder(server->endpoint.dev), emu_rep_pci(server->rep), server->endpoint.name,
			       &server->listener);
	if (result == DOCA_SUCCESS)
		result = shm_doorbells_create(&server->doorbells);
	if (result == DOCA_SUCCESS && !server_open_sockets(server))
		result = DOCA_ERROR_OPERATING_SYSTEM;
	if (result != DOCA_SUCCESS) {
		/* guard: release-failed-server */ free_resources(server);
		return result == DOCA_ERROR_ALREADY_EXIST ? READING_DUPLICATE_SERVER_NAME : DOCA_ERROR_INITIALIZATION;
	}
	memset(server->ready, 0, sizeof(server->ready));
	server->next_index = 0;
	return DOCA_SUCCESS;
}

static doca_error_t server_stop(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	for (uint32_t index = 0; index < SHM_DOORBELLS; index++) {
		if (server->connections[index] == NULL)
			continue;
		doca_error_t result = endpoint_may_part(&server->endpoint, server->connections[index]);
		if (result != DOCA_SUCCESS)
			return result;
	}
	server_dismiss_strangers(server);
	fabric_unlisten(&server->listener);
	return DOCA_SUCCESS;
}

static bool server_stopped_at_once(struct doca_ctx *ctx)
{
	struct doca_comch_server *server = of_ctx(ctx);
	if (server->serving || server->endpoint.strict || !finished(server))
		return false;
	free_resources(server);
	return true;
}

const struct emu_ctx_ops server_ops = {
	.start = server_start,
	.stop = server_stop,
	.stopped_at_once = server_stopped_at_once,
	.progress = server_progress,
	.due_in = server_due_in,
	.arm = server_arm,
	.disarm = server_disarm,
	.submit = endpoint_submit,
	.free_task = endpoint_free_task,
};
