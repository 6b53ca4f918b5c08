/* The fuzzer as the peer of an endpoint (libdoca_comm_channel): it introduces itself with a well-formed or an arbitrary
 * message and an arbitrary descriptor, then writes arbitrary bytes, or nearly right ones, into the shared memory and
 * the sockets, while the program at this end goes about its work. Whatever happens, this end must stay within its
 * memory, answer what it may answer, end when it is asked to, and leave nothing behind.
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
#include "base/wire.h"
#include "channel/channel_endpoint.h"
#include "channel/channel_memory.h"
#include "doca_comm_channel.h"
#include "doca_dev.h"
#include "input.h"
#include "machine.h"
#include "world.h"

#define NAME "fuzz"
#define MAX_STEPS 256
#define QUEUE_SIZE 16u
#define MSG_SIZE 300u
#define MAX_PEERS 4

/* ---- what all inputs share ---- */

static char place[FABRIC_FILE_BYTES];

static void check_that_peers_connect(void);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	machine_open();
	endpoint_place(host_pci, false, place);
	check_that_peers_connect();
	return 0;
}

/* ---- the peer ---- */

struct hostile {
	int socket, bells; /* of the handshake, and of the service's answer */
	uint8_t *shared;
	struct channel_half *own, *other;
	enum shm_side side;
	uint64_t tail; /* of what it sends by the rules */
};

static struct session {
	struct input in;
	bool is_service;
	struct doca_comm_channel_ep_t *end;
	struct doca_comm_channel_addr_t *known[MAX_PEERS]; /* this end's peers, as far as it has heard of them */
	bool reset[MAX_PEERS];
	struct fabric_listener listener; /* the peer's, for a client */
	struct hostile peers[MAX_PEERS];
	uint32_t num_peers;
	uint64_t received; /* messages, of all inputs */
} s;

static uint64_t ring_bytes(void)
{
	return channel_ring_bytes(2 * QUEUE_SIZE, MSG_SIZE);
}

static void take_memory(struct hostile *peer, int fd)
{
	peer->shared = mmap(NULL, CHANNEL_FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	REQUIRE(peer->shared != MAP_FAILED);
	struct channel_control *control = (struct channel_control *)peer->shared;
	peer->own = &control->half[peer->side];
	peer->other = &control->half[shm_other(peer->side)];
}

static int sealed(uint64_t bytes, int seals)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	REQUIRE(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, seals) == 0);
	return fd;
}

static int some_descriptor(uint8_t kind)
{
	switch (kind % 6) {
	case 0:
		return sealed(CHANNEL_FILE_BYTES, 0);
	case 1:
		return sealed(SHM_PAGE, F_SEAL_SHRINK | F_SEAL_GROW);
	case 2:
		return sealed(CHANNEL_FILE_BYTES, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
	case 3:
		return open("/dev/zero", O_RDWR | O_CLOEXEC);
	case 4:
		return open(".", O_RDONLY | O_CLOEXEC);
	default:
		return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	}
}

/* A handshake message of the peer: a good one, one with some bytes changed, or any bytes with any descriptors. */
static void introduce(struct hostile *peer, enum wire_kind kind, int good_fd)
{
	struct wire_message message;
	wire_init(&message, kind);
	message.max_msg_size = MSG_SIZE;
	message.send_queue_size = message.recv_queue_size = QUEUE_SIZE;
	strcpy(message.name, NAME);
	uint8_t how = input_u8(&s.in);
	if (how < 0xc0) {
		send_packet(peer->socket, &message, sizeof(message), &good_fd, 1);
		return;
	}
	uint8_t bytes[sizeof(message) + 64] = {0};
	memcpy(bytes, &message, sizeof(message));
	size_t len = sizeof(message);
	for (uint8_t changes = how & 7u; changes > 0; changes--) {
		size_t at = input_u16(&s.in) % len;
		size_t num = 1 + input_u8(&s.in) % 8u;
		input_bytes(&s.in, bytes + at, at + num > len ? len - at : num);
	}
	if ((how & 8u) != 0)
		len = input_u16(&s.in) % sizeof(bytes);
	int fds[2] = {good_fd, -1};
	size_t num_fds = 1;
	if ((how & 0x10u) != 0) {
		fds[0] = some_descriptor(input_u8(&s.in));
		fds[1] = some_descriptor(input_u8(&s.in));
		num_fds = input_u8(&s.in) % 3u;
	}
	send_packet(peer->socket, bytes, len, fds, num_fds);
	if ((how & 0x10u) != 0) {
		close(fds[0]);
		close(fds[1]);
	}
}

static void hear(struct hostile *peer)
{
	struct wire_message message;
	int fd = -1;
	if (peer->socket >= 0 && wire_receive(peer->socket, &message, &fd) == DOCA_SUCCESS && fd >= 0) {
		if (peer->bells < 0)
			peer->bells = fd;
		else
			close(fd);
	}
}

static void come_as_client(void)
{
	if (s.num_peers == MAX_PEERS)
		return;
	struct hostile *peer = &s.peers[s.num_peers];
	*peer = (struct hostile){.socket = -1, .bells = -1, .side = SHM_CLIENT};
	if (fabric_connect(NULL, place, NAME, &peer->socket) != DOCA_SUCCESS)
		return;
	s.num_peers++;
	int memory = sealed(CHANNEL_FILE_BYTES, F_SEAL_SHRINK | F_SEAL_GROW);
	take_memory(peer, memory);
	introduce(peer, WIRE_HELLO, memory);
	close(memory);
}

/* The peer has been asked by a client. */
static void answer_as_service(void)
{
	if (s.num_peers == MAX_PEERS)
		return;
	int socket = accept4(s.listener.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (socket < 0)
		return;
	struct wire_message hello;
	int memory = -1;
	REQUIRE(wire_receive(socket, &hello, &memory) == DOCA_SUCCESS && memory >= 0);
	struct hostile *peer = &s.peers[s.num_peers++];
	*peer = (struct hostile){.socket = socket, .bells = -1, .side = SHM_SERVER};
	take_memory(peer, memory);
	close(memory);
	int pair[2];
	REQUIRE(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) == 0);
	peer->bells = pair[0];
	introduce(peer, WIRE_ACCEPT, pair[1]);
	close(pair[1]);
}

static void leave(struct hostile *peer)
{
	if (peer->socket >= 0)
		close(peer->socket);
	if (peer->bells >= 0)
		close(peer->bells);
	peer->socket = peer->bells = -1;
}

static struct hostile *some_peer(void)
{
	return s.num_peers == 0 ? NULL : &s.peers[input_u8(&s.in) % s.num_peers];
}

/* A message by the rules, or nearly so. */
static void send_to_end(struct hostile *peer)
{
	uint8_t how = input_u8(&s.in);
	uint32_t len = 1 + input_u16(&s.in) % MSG_SIZE;
	uint64_t size = ring_bytes();
	uint64_t offset = peer->tail & (size - 1);
	uint8_t *ring = peer->shared + CHANNEL_RING_OFFSET(shm_other(peer->side));
	if (size - offset < channel_record_bytes(len)) {
		*(struct shm_record *)(ring + offset) = (struct shm_record){.len = SHM_RECORD_WRAP};
		peer->tail += size - offset;
		offset = 0;
	}
	struct shm_record *record = (struct shm_record *)(ring + offset);
	record->len = (how & 1u) != 0 ? (uint32_t)input_near(&s.in, len) : len;
	record->arrival = (how & 2u) != 0 ? input_near(&s.in, UINT64_C(1000000000)) : 0;
	memset(record + 1, how, len);
	peer->tail += channel_record_bytes(len);
	atomic_fetch_add(&peer->own->sent, 1);
	atomic_store(&peer->own->tail, (how & 4u) != 0 ? input_near(&s.in, peer->tail) : peer->tail);
}

static void scribble(struct hostile *peer)
{
	_Atomic uint64_t *const words[] = {
		&peer->own->tail,   &peer->own->start,  &peer->own->sent,    &peer->own->head,
		&peer->own->taken,  &peer->own->end,    &peer->other->tail,  &peer->other->start,
		&peer->other->sent, &peer->other->head, &peer->other->taken, &peer->other->end,
	};
	uint8_t which = input_u8(&s.in);
	if (which < 0xc0) {
		_Atomic uint64_t *word = words[which % (sizeof(words) / sizeof(words[0]))];
		atomic_store(word, input_near(&s.in, atomic_load(word)));
	} else if (which < 0xe0) {
		_Atomic uint32_t *const flags[] = {&peer->own->closed,       &peer->other->closed,
						   &peer->own->armed_recv,   &peer->own->armed_send,
						   &peer->other->armed_recv, &peer->other->armed_send};
		atomic_store(flags[which % 6], input_u8(&s.in));
	} else {
		uint64_t at = CHANNEL_RING_OFFSET(which & 1u) + input_u16(&s.in) * UINT64_C(4) % ring_bytes();
		input_bytes(&s.in, peer->shared + at, 1 + (which & 7u));
	}
}

static void poke_sockets(struct hostile *peer)
{
	static const uint8_t bytes[64];
	uint8_t how = input_u8(&s.in);
	int socket = (how & 1u) != 0 ? peer->bells : peer->socket;
	if (socket < 0)
		return;
	if (how < 0x80) {
		for (int i = how >> 4; i >= 0; i--)
			send_packet(socket, bytes, 1, NULL, 0);
	} else if (how < 0xc0) {
		int fd = some_descriptor(how);
		send_packet(socket, bytes, how % sizeof(bytes), &fd, 1);
		close(fd);
	} else {
		(void)shutdown(socket, how % 3);
	}
}

/* Takes the messages of this end, as far as it says that there are some. */
static void take_from_end(struct hostile *peer)
{
	atomic_store(&peer->own->head, atomic_load(&peer->other->tail));
	atomic_store(&peer->own->taken, atomic_load(&peer->other->sent));
	if (atomic_exchange(&peer->other->armed_send, 0) != 0 && peer->socket >= 0)
		send_packet(peer->socket, "", 1, NULL, 0);
}

/* ---- this end ---- */

static uint32_t note(struct doca_comm_channel_addr_t *peer)
{
	for (uint32_t i = 0; i < MAX_PEERS; i++)
		if (s.known[i] == peer)
			return i;
	for (uint32_t i = 0; i < MAX_PEERS; i++)
		if (s.known[i] == NULL) {
			s.known[i] = peer;
			s.reset[i] = false;
			return i;
		}
	violated(__FILE__, __LINE__, "no more peers than have come");
}

static struct doca_comm_channel_addr_t *some_known(void)
{
	return s.known[input_u8(&s.in) % MAX_PEERS];
}

static void end_receives(void)
{
	size_t room = input_u8(&s.in) < 0xe0 ? MSG_SIZE : 1 + input_u8(&s.in) % MSG_SIZE, len = room;
	/* Of that very size, for the sanitizer. */
	uint8_t *bytes = malloc(room);
	struct doca_comm_channel_addr_t *from = NULL;
	doca_error_t result = doca_comm_channel_ep_recvfrom(s.end, bytes, &len, 0, &from);
	switch (result) {
	case DOCA_SUCCESS:
		REQUIRE(len > 0 && len <= room && from != NULL);
		(void)note(from);
		s.received++;
		break;
	case DOCA_ERROR_CONNECTION_RESET:
		REQUIRE(from != NULL && len == room && !s.reset[note(from)]);
		s.reset[note(from)] = true;
		break;
	case DOCA_ERROR_INVALID_VALUE:
		REQUIRE(len > room && len <= MSG_SIZE);
		break;
	default:
		REQUIRE(len == room && from == NULL);
		REQUIRE(result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_INITIALIZATION ||
			result == DOCA_ERROR_NOT_CONNECTED);
	}
	free(bytes);
}

static void end_sends(struct doca_comm_channel_addr_t *peer)
{
	size_t len = 1 + input_u16(&s.in) % MSG_SIZE;
	uint8_t *bytes = calloc(1, len);
	doca_error_t result = doca_comm_channel_ep_sendto(s.end, bytes, len, 0, peer);
	REQUIRE(result == DOCA_SUCCESS || result == DOCA_ERROR_AGAIN || result == DOCA_ERROR_CONNECTION_RESET ||
		result == DOCA_ERROR_NOT_CONNECTED || result == DOCA_ERROR_INVALID_VALUE);
	free(bytes);
}

static void end_looks(struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result = doca_comm_channel_peer_addr_update_info(peer);
	REQUIRE(result == DOCA_SUCCESS || result == DOCA_ERROR_CONNECTION_INPROGRESS ||
		result == DOCA_ERROR_CONNECTION_ABORTED);
	uint64_t in_flight;
	OK(doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &in_flight));
	REQUIRE(in_flight <= QUEUE_SIZE);
}

static void end_disconnects(struct doca_comm_channel_addr_t *peer)
{
	OK(doca_comm_channel_ep_disconnect(s.end, peer));
	REQUIRE(doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_INVALID_VALUE);
	for (uint32_t i = 0; i < MAX_PEERS; i++)
		if (s.known[i] == peer)
			s.known[i] = NULL;
}

static void end_looks_at_its_state(void)
{
	struct doca_comm_channel_addr_t **list;
	uint32_t num;
	if (!s.is_service)
		return;
	OK(doca_comm_channel_ep_update_service_state_info(s.end));
	OK(doca_comm_channel_ep_get_peer_addr_list(s.end, &list, &num));
	REQUIRE(num <= MAX_PEERS);
	for (uint32_t i = 0; i < num; i++)
		(void)note(list[i]);
}

static void end_connects(void)
{
	struct doca_comm_channel_addr_t *peer;
	if (s.is_service || s.known[0] != NULL || doca_comm_channel_ep_connect(s.end, NAME, &peer) != DOCA_SUCCESS)
		return;
	s.known[0] = peer;
	s.reset[0] = false;
	answer_as_service();
}

static void end_arms(void)
{
	if (!s.is_service && s.known[0] == NULL)
		return;
	int send, recv;
	OK(doca_comm_channel_ep_get_event_channel(s.end, &send, &recv));
	OK(doca_comm_channel_ep_event_handle_arm_recv(s.end));
	OK(doca_comm_channel_ep_event_handle_arm_send(s.end));
}

/* ---- one input ---- */

static void step(void)
{
	uint8_t what = input_u8(&s.in) % 24u;
	struct hostile *peer = what >= 12 ? some_peer() : NULL;
	struct doca_comm_channel_addr_t *known = what < 8 ? some_known() : NULL;
	if ((what >= 12 && peer == NULL) || (what >= 2 && what < 8 && known == NULL))
		return;
	switch (what) {
	case 2:
	case 3:
	case 4:
		end_sends(known);
		break;
	case 5:
	case 6:
		end_looks(known);
		break;
	case 7:
		if (input_u8(&s.in) >= 0xc0)
			end_disconnects(known);
		break;
	case 8:
		end_looks_at_its_state();
		break;
	case 9:
		end_arms();
		break;
	case 10:
		world_pass_ms((uint64_t)input_u8(&s.in) * 30);
		break;
	case 11:
		if (s.is_service)
			come_as_client();
		else
			end_connects();
		break;
	case 12:
	case 13:
	case 14:
		send_to_end(peer);
		break;
	case 15:
	case 16:
	case 17:
		scribble(peer);
		break;
	case 18:
	case 19:
		poke_sockets(peer);
		break;
	case 20:
	case 21:
		take_from_end(peer);
		break;
	case 22:
		hear(peer);
		break;
	case 23:
		if (input_u8(&s.in) >= 0xc0)
			leave(peer);
		break;
	default:
		end_receives();
	}
}

static void begin(void)
{
	OK(doca_comm_channel_ep_create(&s.end));
	OK(doca_comm_channel_ep_set_max_msg_size(s.end, MSG_SIZE));
	OK(doca_comm_channel_ep_set_send_queue_size(s.end, QUEUE_SIZE));
	OK(doca_comm_channel_ep_set_recv_queue_size(s.end, QUEUE_SIZE));
	OK(doca_comm_channel_ep_set_device(s.end, s.is_service ? dpu : host));
	if (s.is_service) {
		OK(doca_comm_channel_ep_set_device_rep(s.end, rep));
		OK(doca_comm_channel_ep_listen(s.end, NAME));
		int fd;
		if (input_u8(&s.in) >= 0x80)
			OK(doca_comm_channel_ep_get_service_event_channel(s.end, &fd));
		come_as_client();
		end_receives();
	} else {
		OK(fabric_listen(NULL, place, NAME, &s.listener));
		end_connects();
	}
}

static void end(void)
{
	OK(doca_comm_channel_ep_destroy(s.end));
	for (uint32_t i = 0; i < s.num_peers; i++) {
		leave(&s.peers[i]);
		munmap(s.peers[i].shared, CHANNEL_FILE_BYTES);
	}
	if (!s.is_service)
		fabric_unlisten(&s.listener);
	REQUIRE(world_mappings() == 0);
}

static void play(const uint8_t *data, size_t size)
{
	world_reset();
	s = (struct session){.in = {.next = data, .left = size}, .received = s.received};
	s.is_service = (input_u8(&s.in) & 1u) != 0;
	begin();
	for (int i = 0; i < MAX_STEPS && s.in.left > 0; i++)
		step();
	end();
}

/* A fuzzer whose peer never gets in would find nothing. */
static void check_that_peers_connect(void)
{
	/* Client or service; a good introduction; a message; it is received. */
	static const uint8_t as_client[] = {0, 0, 5, 0, 12, 0, 0, 9, 0, 0, 0};
	static const uint8_t as_service[] = {1, 0, 0, 0, 12, 0, 0, 9, 0, 0, 0};
	play(as_client, sizeof(as_client));
	REQUIRE(s.received == 1);
	play(as_service, sizeof(as_service));
	REQUIRE(s.received == 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	play(data, size);
	return 0;
}
