#include "connection/wakeup.h"

#include <errno.h>
#include <sys/socket.h>

#include "connection/connection.h"

/* Wake-ups that are read at once; a peer that sends more is not listened to for ever. */
#define WAKEUPS_AT_ONCE 16

void connection_ring(const struct doca_comch_connection *connection, shm_asleep *word)
{
	if (!shm_takes_wakeup(word))
		return;
	/* A socket that is full is readable at the other end, and one whose peer has gone needs no wake-up. */
	(void)send(connection->socket, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool connection_take_wakeups(struct doca_comch_connection *connection, const struct emu_sleeper *reader, bool *broken)
{
	bool alive = true;
	unsigned taken = 0;
	for (bool more = true; more && taken < WAKEUPS_AT_ONCE;) {
		char bytes[2];
		ssize_t received = recv(connection->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
		more = received == 1;
		taken += more;
		*broken = /* guard: wakeup-length */ received > 1;
		alive = received > 0 || (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR));
	}
	if (taken > 0 || !alive)
		connection_wake_engines(connection, reader);
	return alive;
}

void connection_wake_engines(struct doca_comch_connection *connection, const struct emu_sleeper *reader)
{
	pthread_mutex_lock(&connection->lock);
	for (const struct connection_sleeper *s = connection->sleepers; s != NULL; s = s->next)
		if (s->sleeper != reader)
			emu_sleeper_wake(s->sleeper);
	pthread_mutex_unlock(&connection->lock);
}

static void join(struct doca_comch_connection *connection, struct connection_sleeper *joining,
		 struct emu_sleeper *sleeper)
{
	pthread_mutex_lock(&connection->lock);
	joining->sleeper = sleeper;
	joining->watched = -1;
	joining->next = connection->sleepers;
	connection->sleepers = joining;
	pthread_mutex_unlock(&connection->lock);
}

/* Whether the control path is on the same engine, and looks after the socket for it. */
static bool is_controls(struct doca_comch_connection *connection, const struct emu_sleeper *sleeper)
{
	pthread_mutex_lock(&connection->lock);
	bool same = connection->control_sleeper.sleeper == sleeper;
	pthread_mutex_unlock(&connection->lock);
	return same;
}

/* What the peer sends to an engine that has no control path on it. */
static bool something_has_come(void *argument, struct emu_sleeper *sleeper)
{
	bool broken;
	/* The end of the connection is noticed by the control path. */
	return connection_take_wakeups(argument, sleeper, &broken);
}

bool connection_join_sleepers(struct doca_comch_connection *connection, struct connection_sleeper *joining,
			      struct emu_sleeper *sleeper)
{
	if (joining->sleeper == NULL)
		join(connection, joining, sleeper);
	if (joining->watched >= 0 || is_controls(connection, sleeper))
		return connection->peer_joins_barriers;
	if (!emu_sleeper_watch(sleeper, connection->socket, something_has_come, connection))
		return false;
	joining->watched = connection->socket;
	return connection->peer_joins_barriers;
}

bool connection_join_as_control(struct doca_comch_connection *connection, struct emu_sleeper *sleeper,
				emu_ready_cb ready)
{
	struct connection_sleeper *joining = &connection->control_sleeper;
	if (joining->sleeper == NULL)
		join(connection, joining, sleeper);
	if (ready != NULL && joining->watched < 0 && connection->socket >= 0 &&
	    emu_sleeper_watch(sleeper, connection->socket, ready, connection->endpoint))
		joining->watched = connection->socket;
	return connection->peer_joins_barriers && (ready == NULL || joining->watched >= 0);
}

void connection_leave_sleepers(struct doca_comch_connection *connection, struct connection_sleeper *leaving)
{
	if (leaving->sleeper == NULL)
		return;
	if (leaving->watched >= 0)
		emu_sleeper_unwatch(leaving->sleeper, leaving->watched);
	pthread_mutex_lock(&connection->lock);
	struct connection_sleeper **link = &connection->sleepers;
	while (*link != leaving)
		link = &(*link)->next;
	*link = leaving->next;
	leaving->sleeper = NULL;
	pthread_mutex_unlock(&connection->lock);
}
