#include "base/faults.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/told_faults.h"
#include "core/fault_keepers.h"
#include "core/forks.h"
#include "doca_emu.h"
#include "log/sdk_log.h"

/* A peer writes arrival times; a longer journey than this is not believed. */
#define LONGEST_TRAVEL_NS UINT64_C(60000000000)

struct countdown {
	uint64_t left; /* 0: nothing to come */
	doca_error_t error;
};

struct faults {
	char *folder; /* of the machine; NULL: the environment's */
	struct faults *next;
	uint64_t refuse;
	uint64_t accept_delay_ms;
	uint64_t again;
	struct countdown fail_send, break_send, fail_recv, lose_recv, break_recv, fail_dma, drop;
	uint64_t latency_us;
	uint64_t bandwidth_mb;
	uint64_t line_free_at; /* when the slowed device has sent everything that has been submitted to it */
};

atomic_bool faults_active;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
EMU_FREE_IN_CHILDREN(lock)
static unsigned consequences; /* of faults that have struck */
/* Of the environment's machine, and of those named ones that have faults. */
static struct faults current;

/* With the lock held: the place in the list of those of a named machine, or that for them. */
static struct faults **place_of(const char *folder)
{
	struct faults **place = &current.next;
	while (*place != NULL && strcmp((*place)->folder, folder) != 0)
		place = &(*place)->next;
	return place;
}

/* With the lock held. */
static struct faults *faults_of(const char *folder)
{
	static struct faults none;
	if (folder == NULL)
		return &current;
	struct faults *found = *place_of(folder);
	return found == NULL ? &none : found;
}

/* ---- parsing ---- */

static bool parse_error(const char *name, doca_error_t *error)
{
	static const char prefix[] = "DOCA_ERROR_";
	for (int candidate = DOCA_ERROR_UNKNOWN; candidate <= DOCA_ERROR_SKIPPED; candidate++) {
		const char *full = doca_error_get_name((doca_error_t)candidate);
		if (strcmp(full, name) == 0 || strcmp(full + sizeof(prefix) - 1, name) == 0) {
			*error = (doca_error_t)candidate;
			return true;
		}
	}
	return false;
}

static bool parse_number(const char *text, char **end, uint64_t *number)
{
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, end, 10);
	return errno == 0;
}

static bool parse_one(char *item, struct faults *faults)
{
	char *value = strchr(item, '=');
	if (value == NULL)
		return false;
	*value++ = '\0';
	const struct {
		const char *key;
		uint64_t *plain;
		struct countdown *countdown;
		bool with_error;
	} keys[] = {
		{"refuse", &faults->refuse, NULL, false},
		{"accept_delay", &faults->accept_delay_ms, NULL, false},
		{"again", &faults->again, NULL, false},
		{"fail_send", NULL, &faults->fail_send, true},
		{"break_send", NULL, &faults->break_send, true},
		{"fail_recv", NULL, &faults->fail_recv, true},
		{"lose_recv", NULL, &faults->lose_recv, true},
		{"break_recv", NULL, &faults->break_recv, true},
		{"fail_dma", NULL, &faults->fail_dma, true},
		{"drop", NULL, &faults->drop, false},
		{"latency", &faults->latency_us, NULL, false},
		{"bandwidth", &faults->bandwidth_mb, NULL, false},
	};
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(item, keys[i].key) != 0)
			continue;
		char *end;
		uint64_t *number = keys[i].plain != NULL ? keys[i].plain : &keys[i].countdown->left;
		if (!parse_number(value, &end, number))
			return false;
		if (keys[i].with_error)
			return *end == ':' && parse_error(end + 1, &keys[i].countdown->error);
		return *end == '\0';
	}
	return false;
}

static bool parse(const char *spec, struct faults *faults)
{
	*faults = (struct faults){0};
	char *copy = strdup(spec == NULL ? "" : spec);
	if (copy == NULL)
		return false;
	bool good = true;
	char *rest = copy;
	for (char *item = strsep(&rest, ","); item != NULL && good; item = strsep(&rest, ","))
		good = *item == '\0' ? *copy == '\0' || spec == NULL : parse_one(item, faults);
	free(copy);
	return good;
}

static bool any(const struct faults *faults)
{
	return faults->refuse > 0 || faults->accept_delay_ms > 0 || faults->again > 0 || faults->fail_send.left > 0 ||
	       faults->break_send.left > 0 || faults->fail_recv.left > 0 || faults->lose_recv.left > 0 ||
	       faults->break_recv.left > 0 || faults->fail_dma.left > 0 || faults->drop.left > 0 ||
	       faults->latency_us > 0 || faults->bandwidth_mb > 0;
}

/* With the lock held. */
static void update_active(void)
{
	atomic_store(&faults_active,
		     any(&current) || current.next != NULL || told_faults_listening() || consequences > 0);
}

static doca_error_t set_faults(const char *spec)
{
	struct faults parsed;
	if (!parse(spec, &parsed))
		return DOCA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	parsed.next = current.next;
	current = parsed;
	update_active();
	pthread_mutex_unlock(&lock);
	return DOCA_SUCCESS;
}

static doca_error_t set_faults_of(const char *folder, const char *spec)
{
	if (folder == NULL)
		return set_faults(spec);
	struct faults *made = malloc(sizeof(*made));
	if (made == NULL || !parse(spec, made) || (made->folder = strdup(folder)) == NULL) {
		doca_error_t result = made == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_ERROR_INVALID_VALUE;
		free(made);
		return result;
	}
	pthread_mutex_lock(&lock);
	struct faults **place = place_of(folder);
	struct faults *out = *place;
	made->next = out == NULL ? NULL : out->next;
	*place = made;
	if (!any(made)) {
		*place = made->next;
		free(made->folder);
		free(made);
	}
	update_active();
	pthread_mutex_unlock(&lock);
	if (out != NULL)
		free(out->folder);
	free(out);
	return DOCA_SUCCESS;
}

static struct emu_fault_keeper keeper = {.set = set_faults_of};

__attribute__((constructor)) static void join(void)
{
	emu_fault_keeper_join(&keeper);
}

__attribute__((destructor)) static void leave(void)
{
	emu_fault_keeper_leave(&keeper);
}

doca_error_t doca_emu_set_faults(const char *spec)
{
	return emu_fault_keepers_set(NULL, spec);
}

doca_error_t doca_emu_set_faults_of(const char *folder, const char *spec)
{
	return folder == NULL ? DOCA_ERROR_INVALID_VALUE : emu_fault_keepers_set(folder, spec);
}

void fault_has_consequences(bool begin)
{
	pthread_mutex_lock(&lock);
	if (begin)
		consequences++;
	else
		consequences--;
	update_active();
	pthread_mutex_unlock(&lock);
}

static const char *malformed; /* DOCA_EMU_FAULTS, or NULL */

static void read_environment(void)
{
	const char *spec = getenv("DOCA_EMU_FAULTS");
	bool listens = spec != NULL && spec[0] == '@';
	if (listens ? !told_faults_listen(spec + 1) : spec != NULL && set_faults(spec) != DOCA_SUCCESS)
		malformed = spec;
	pthread_mutex_lock(&lock);
	update_active();
	pthread_mutex_unlock(&lock);
}

doca_error_t faults_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, read_environment);
	if (malformed == NULL)
		return DOCA_SUCCESS;
	EMU_LOG_ERROR(
		"DOCA_EMU_FAULTS is \"%s\": allowed is a list KEY=VALUE,… of refuse=N, accept_delay=MS, again=N, "
		"fail_send=K:ERROR, break_send=K:ERROR, fail_recv=K:ERROR, lose_recv=K:ERROR, break_recv=K:ERROR, "
		"fail_dma=K:ERROR, drop=K, latency=US and bandwidth=MB; or @NAME for what stands in NAME.faults of the "
		"fabric folder",
		malformed);
	return DOCA_ERROR_INITIALIZATION;
}

/* ---- questions ---- */

/* Takes the lock for a question: that of the environment's machine may be told other faults first. */
static struct faults *lock_faults_of(const char *folder)
{
	char list[TOLD_FAULTS_BYTES];
	if (folder == NULL && told_faults_listening() && told_faults_changed(list) && set_faults(list) != DOCA_SUCCESS)
		EMU_LOG_WARNING("what this process is told is no list of faults: \"%s\"", list);
	pthread_mutex_lock(&lock);
	return faults_of(folder);
}

static bool take(uint64_t *count)
{
	if (*count == 0)
		return false;
	(*count)--;
	return true;
}

/* Counts one occurrence; true for the occurrence that was asked for. */
static bool strikes(struct countdown *countdown)
{
	return countdown->left > 0 && --countdown->left == 0;
}

bool fault_refuses_client(const char *folder)
{
	struct faults *faults = lock_faults_of(folder);
	bool refuses = take(&faults->refuse);
	pthread_mutex_unlock(&lock);
	return refuses;
}

uint64_t fault_accept_delay_ms(const char *folder)
{
	struct faults *faults = lock_faults_of(folder);
	uint64_t delay = faults->accept_delay_ms;
	pthread_mutex_unlock(&lock);
	return delay;
}

enum send_fault fault_of_send(const char *folder, doca_error_t *error)
{
	enum send_fault fault = SEND_GOES_ON;
	struct faults *faults = lock_faults_of(folder);
	if (take(&faults->again)) {
		fault = SEND_AGAIN;
		*error = DOCA_ERROR_AGAIN;
	} else {
		bool fails = strikes(&faults->fail_send);
		bool breaks = strikes(&faults->break_send);
		if (strikes(&faults->drop)) {
			fault = SEND_DROPS_CONNECTION;
			*error = DOCA_ERROR_NOT_CONNECTED;
		} else if (breaks || fails) {
			fault = breaks ? SEND_BREAKS : SEND_FAILS;
			*error = breaks ? faults->break_send.error : faults->fail_send.error;
		}
	}
	pthread_mutex_unlock(&lock);
	return fault;
}

enum receive_fault fault_of_receive(const char *folder, doca_error_t *error)
{
	enum receive_fault fault = RECEIVE_GOES_ON;
	struct faults *faults = lock_faults_of(folder);
	/* The worst last; each counts. */
	struct countdown *countdowns[] = {&faults->fail_recv, &faults->lose_recv, &faults->break_recv};
	for (size_t i = 0; i < sizeof(countdowns) / sizeof(countdowns[0]); i++) {
		if (!strikes(countdowns[i]))
			continue;
		fault = (enum receive_fault)(RECEIVE_FAILS + i);
		*error = countdowns[i]->error;
	}
	pthread_mutex_unlock(&lock);
	return fault;
}

doca_error_t fault_of_copy(const char *folder)
{
	struct faults *faults = lock_faults_of(folder);
	doca_error_t status = strikes(&faults->fail_dma) ? faults->fail_dma.error : DOCA_SUCCESS;
	pthread_mutex_unlock(&lock);
	return status;
}

uint64_t fault_arrival(const char *folder, uint64_t bytes)
{
	uint64_t arrival = 0;
	struct faults *faults = lock_faults_of(folder);
	if (faults->latency_us > 0 || faults->bandwidth_mb > 0) {
		arrival = now_ns();
		if (faults->bandwidth_mb > 0) {
			if (arrival < faults->line_free_at)
				arrival = faults->line_free_at;
			arrival += bytes * 1000 / faults->bandwidth_mb;
			faults->line_free_at = arrival;
		}
		arrival += faults->latency_us * 1000;
	}
	pthread_mutex_unlock(&lock);
	return arrival;
}

uint64_t fault_travel_left(uint64_t arrival)
{
	uint64_t now = now_ns();
	return arrival > now && /* guard: travel-bound=1 */ arrival - now <= LONGEST_TRAVEL_NS ? arrival - now : 0;
}
