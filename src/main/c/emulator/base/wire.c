#include "base/wire.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/settings.h"
#include "base/shm_sides.h"
#include "core/forks.h"
#include "core/sleeper.h"

#define WIRE_MAGIC 0x434d4348u

/* Random per process: proves that an address belongs to the process that a pid names at this moment. */
static uint8_t own_cookie[WIRE_COOKIE_BYTES];
static pthread_once_t cookie_once = PTHREAD_ONCE_INIT;

static void make_cookie(void)
{
	if (getrandom(own_cookie, sizeof(own_cookie), 0) != (ssize_t)sizeof(own_cookie))
		abort(); /* cannot happen for 16 bytes */
}

/* A child is another process. */
static void after_fork_in_child(void)
{
	cookie_once = (pthread_once_t)PTHREAD_ONCE_INIT;
}

__attribute__((constructor)) static void watch_forks(void)
{
	(void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

void wire_init(struct wire_message *message, enum wire_kind kind)
{
	pthread_once(&cookie_once, make_cookie);
	*message = (struct wire_message){.magic = WIRE_MAGIC,
					 .version = SHM_LAYOUT_VERSION,
					 .kind = (uint32_t)kind,
					 .cookie_address = (uint64_t)(uintptr_t)own_cookie,
					 .barriers = emu_barrier_join() ? 1 : 0};
	memcpy(message->cookie, own_cookie, sizeof(own_cookie));
}

doca_error_t wire_send(int socket, const struct wire_message *message, int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {.iov_base = (void *)(uintptr_t)message, .iov_len = sizeof(*message)};
	struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
	if (fd >= 0) {
		header.msg_control = control.bytes;
		header.msg_controllen = sizeof(control.bytes);
		struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
		rights->cmsg_level = SOL_SOCKET;
		rights->cmsg_type = SCM_RIGHTS;
		rights->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(rights), &fd, sizeof(int));
	}
	ssize_t sent;
	do
		sent = sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	if (sent == (ssize_t)sizeof(*message))
		return DOCA_SUCCESS;
	return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? DOCA_ERROR_AGAIN : DOCA_ERROR_NOT_CONNECTED;
}

/* Keeps the first descriptor of a received message and closes any other. */
static int take_descriptor(struct msghdr *header)
{
	int kept = -1;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c != NULL; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (kept < 0)
				kept = fd;
			else
				/* guard: wire-descriptors-closed */ close(fd);
		}
	}
	return kept;
}

/* What a message of so many bytes is worth. */
static doca_error_t judge(const struct wire_message *message, size_t received, int flags, int fd)
{
	const size_t stable = offsetof(struct wire_message, ring_bytes);
	if (received == 0)
		return DOCA_ERROR_NOT_CONNECTED;
	if (/* guard: wire-first-words */ received < stable || /* guard: wire-magic */ message->magic != WIRE_MAGIC)
		return DOCA_ERROR_INVALID_VALUE;
	if (/* guard: wire-version */ message->version != SHM_LAYOUT_VERSION)
		return DOCA_ERROR_NOT_SUPPORTED;
	/* Truncated to nothing: there is no number for the descriptor that came. */
	if (/* guard: wire-descriptor-lost */ (flags & MSG_CTRUNC) != 0 && fd < 0)
		return DOCA_ERROR_NO_MEMORY;
	/* A name without an end would equal none of a server's, which has one. */
	bool whole = /* guard: wire-length=1 */ received == sizeof(*message) &&
		     /* guard: wire-truncated=1 */ (flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
	return whole && memchr(message->name, '\0', sizeof(message->name)) != NULL ? DOCA_SUCCESS
										   : DOCA_ERROR_INVALID_VALUE;
}

doca_error_t wire_receive(int socket, struct wire_message *message, int *fd)
{
	union {
		char bytes[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control = {0};
	struct iovec part = {.iov_base = message, .iov_len = sizeof(*message)};
	struct msghdr header = {.msg_iov = &part,
				.msg_iovlen = 1,
				.msg_control = control.bytes,
				.msg_controllen = sizeof(control.bytes)};
	/* Whoever closes its socket with something unread in it makes the first attempt fail; its last message is
	 * there. */
	bool reset = false;
	ssize_t received = 0;
	do {
		reset = reset || (received < 0 && errno == ECONNRESET);
		received = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (received < 0 && (errno == EINTR || (errno == ECONNRESET && !reset)));
	*fd = -1;
	if (received < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK ? DOCA_ERROR_AGAIN : DOCA_ERROR_NOT_CONNECTED;
	/* An empty packet, which looks like the end, can carry descriptors as well. */
	*fd = emu_fork_keep(take_descriptor(&header));
	doca_error_t result = judge(message, (size_t)received, header.msg_flags, *fd);
	if (result != DOCA_SUCCESS && *fd >= 0) {
		/* guard: wire-refused-descriptor-closed */ close(*fd);
		*fd = -1;
	}
	return result;
}

void wire_reject(int socket, enum wire_refusal refusal)
{
	struct wire_message answer;
	wire_init(&answer, WIRE_REJECT);
	answer.connection_index = refusal;
	(void)wire_send(socket, &answer, -1);
	/* guard: wire-rejected-socket-closed */ close(socket);
}

static bool peer_credentials(int socket, struct ucred *peer)
{
	socklen_t size = sizeof(*peer);
	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &size) == 0;
}

static bool peer_is_in_group(int socket, const struct ucred *peer, gid_t group)
{
	if (peer->gid == group)
		return true;
	gid_t groups[256];
	socklen_t size = sizeof(groups);
	if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &size) != 0)
		return false;
	for (size_t i = 0; i < size / sizeof(groups[0]); i++)
		if (groups[i] == group)
			return true;
	return false;
}

bool wire_peer_is_trusted(int socket, gid_t group)
{
	struct ucred peer;
	if (!peer_credentials(socket, &peer))
		return false;
	return /* guard: wire-trusted-user=1 */ peer.uid == geteuid() || peer.uid == 0 ||
	       (group != (gid_t)-1 && peer_is_in_group(socket, &peer, group));
}

const char *wire_refusal_text(uint32_t refusal, uint32_t other_version, struct wire_text *room)
{
	switch (refusal) {
	case WIRE_REFUSED_USER:
		return "client and server run as different users";
	case WIRE_REFUSED_FULL:
		return "the server has as many clients as it takes";
	case WIRE_REFUSED_PROTOCOL:
		if (other_version == SHM_LAYOUT_VERSION)
			return "client and server do not understand each other's handshake";
		snprintf(room->text, sizeof(room->text),
			 "client and server are different builds of the emulated device, which share memory in version "
			 "%u here and in version %u at the other end",
			 SHM_LAYOUT_VERSION, other_version);
		return room->text;
	case WIRE_REFUSED_DESCRIPTORS:
		return "the server's process has no file descriptor left for it (ulimit -n)";
	case WIRE_REFUSED_MEMORY:
		return "the server's process lacks memory or file descriptors for it";
	case WIRE_REFUSED_ON_DEMAND:
		return "a fault on demand (DOCA_EMU_FAULTS)";
	case WIRE_REFUSED_LATE:
		return "the client has connected, but not introduced itself in time";
	case WIRE_REFUSED:
	default:
		return "the server refuses, and gives no reason";
	}
}

bool wire_refusal_is_final(uint32_t refusal)
{
	return refusal == WIRE_REFUSED_USER || refusal == WIRE_REFUSED_PROTOCOL;
}

enum wire_reach wire_reach_of(int socket, const struct wire_message *from_peer, pid_t *pid)
{
	struct ucred peer;
	if (!peer_credentials(socket, &peer) || peer.pid <= 0)
		return WIRE_REACH_NONE; /* another process id namespace */
	*pid = peer.pid;
	/* The kernel vouches for the pid, so a peer cannot pass itself off as this process. */
	if (peer.pid == getpid())
		return /* guard: wire-cookie-of-self=1 */ memcmp(from_peer->cookie, own_cookie, sizeof(own_cookie)) == 0
			       ? WIRE_REACH_SELF
			       : WIRE_REACH_NONE;
	if (!settings_direct_write())
		return WIRE_REACH_NONE;
	uint8_t seen[WIRE_COOKIE_BYTES];
	struct iovec local = {.iov_base = seen, .iov_len = sizeof(seen)};
	struct iovec remote = {.iov_base = (void *)(uintptr_t)from_peer->cookie_address, .iov_len = sizeof(seen)};
	if (process_vm_readv(peer.pid, &local, 1, &remote, 1, 0) != (ssize_t)sizeof(seen) ||
	    /* guard: wire-cookie-of-peer */ memcmp(seen, from_peer->cookie, sizeof(seen)) != 0)
		return WIRE_REACH_NONE;
	return WIRE_REACH_PROCESS;
}
