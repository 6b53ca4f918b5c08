/* What libdoca_common and libdoca_comch know of an emulated DPA, whose objects libdoca_dpa makes.
 *
 * Programs on the DPA name objects by handles. A kernel may pass any number, or the handle of an object that has ended:
 * each call on the device looks its handle up (emu_dpa_enter) and ends with emu_dpa_leave. An object that ends takes
 * its handle back (emu_dpa_unpublish), which waits for the calls that have found it. What is found is therefore there
 * until the call leaves; a handle that names nothing is the dpa's error.
 *
 * Threads: kernels run on execution units (EUs), which are threads of this process that libdoca_dpa starts. */
#ifndef EMU_DPA_H
#define EMU_DPA_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "doca_error.h"
#include "export.h"

struct doca_dev;
struct doca_devinfo;
struct doca_dpa;
struct doca_dpa_completion;
struct doca_dpa_thread;
struct emu_dpa_run;

/* ---- devices ---- */

/* Whether a dpa can be made on the device: a physical function of a card that has one. */
EMU_PRIVATE_API bool emu_devinfo_has_dpa(const struct doca_devinfo *info);
/* Whether there is such a physical function of the device's card, on its side: the device itself, or one to extend. */
EMU_PRIVATE_API bool emu_devinfo_reaches_dpa(const struct doca_devinfo *info);
/* Whether the device's card has a DPA that reaches it: by a dpa of its own or by an extended one. */
EMU_PRIVATE_API bool emu_dev_reaches_dpa(const struct doca_dev *dev);
/* Whether programs on the DPU's side of the device's card can use its DPA. */
bool emu_dev_card_reads_exports(const struct doca_dev *dev);
/* Whether two devices are functions of one card, on the same side of it. */
EMU_PRIVATE_API bool emu_dev_same_card(const struct doca_dev *one, const struct doca_dev *other);
/* What a list of devices of a named folder tells of DPAs; for the next one. */
void emu_dpa_note(struct doca_devinfo *const *devices, uint32_t count);
/* Whether any device that this process sees has a DPA; false before devices were listed. */
EMU_PRIVATE_API bool emu_dpa_anywhere(void);

/* ---- the beginnings of libdoca_dpa's objects ---- */

struct emu_dpa {
	struct doca_dev *dev;
	struct doca_dpa *root; /* of an extended dpa: the one that it extends; else itself */
	_Atomic bool started;
	_Atomic bool failed;
	_Atomic uint32_t users; /* objects that need it started */
	/* Whether the DPA's memory has all of these bytes allocated in one piece. */
	bool (*owns)(struct doca_dpa *dpa, uint64_t addr, uint64_t len);
};

struct emu_dpa_thread {
	struct doca_dpa *dpa;
	_Atomic bool started;
	_Atomic uint32_t users; /* started completions */
	/* There is something for the thread to do. Any thread. */
	void (*trigger)(struct doca_dpa_thread *thread);
};

struct emu_dpa_completion {
	struct doca_dpa *dpa;
	_Atomic bool started;
	_Atomic uint32_t users; /* what is attached and runs */
	/* Adds an element, whose acknowledgement decrements `unacked` (may be NULL). A completion without room for it
	 * is the dpa's error. Inside a device call. */
	void (*push)(struct doca_dpa_completion *completion, uint32_t type, uint32_t user_data,
		     _Atomic uint32_t *unacked);
	/* Forgets the counter in elements that were not acknowledged. */
	void (*forget)(struct doca_dpa_completion *completion, const _Atomic uint32_t *unacked);
};

static inline struct emu_dpa *emu_dpa_of(struct doca_dpa *dpa)
{
	return (struct emu_dpa *)dpa;
}

static inline struct emu_dpa_thread *emu_dpa_thread_of(struct doca_dpa_thread *thread)
{
	return (struct emu_dpa_thread *)thread;
}

static inline struct emu_dpa_completion *emu_dpa_completion_of(struct doca_dpa_completion *completion)
{
	return (struct emu_dpa_completion *)completion;
}

/* The last error of a dpa, and of the one that it extends; logged. Any thread. */
EMU_PRIVATE_API void emu_dpa_fail(struct doca_dpa *dpa, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- handles ---- */

enum emu_dpa_kind {
	EMU_DPA_NOTHING,
	EMU_DPA_DEVICE,
	EMU_DPA_HASH_TABLE,
	EMU_DPA_COMPLETION,
	EMU_DPA_ASYNC_OPS,
	EMU_DPA_NOTIFICATION,
	EMU_DPA_SYNC_EVENT,
	EMU_DPA_CONSUMER,
	EMU_DPA_CONSUMER_COMPLETION,
	EMU_DPA_PRODUCER,
	EMU_DPA_MMAP, /* of 32 bits */
};

/* Gives an object a handle that no object had before; 0 when there are too many. `owner` is the dpa that its kernels
 * must be on, the device for a map, or NULL. */
EMU_PRIVATE_API uint64_t emu_dpa_publish(enum emu_dpa_kind kind, void *object, const void *owner);

/* Takes the handle back: on return no call on the device uses the object. Not with a lock held that such a call takes,
 * and not from a kernel. 0 is allowed. */
EMU_PRIVATE_API void emu_dpa_unpublish(uint64_t handle);

/* Waits until each EU has been outside of a call on the device: what such a call was told is not used any more. As
 * emu_dpa_unpublish. */
EMU_PRIVATE_API void emu_dpa_quiesce(void);

/* The object for a call on the device by the calling EU, which ends with emu_dpa_leave. NULL, logged and noted as the
 * dpa's error: the handle names no such object of the EU's dpa. `call` names the call. */
EMU_PRIVATE_API void *emu_dpa_enter(enum emu_dpa_kind kind, uint64_t handle, const char *call);
/* The same without an object to begin with; false: the caller is no EU. */
EMU_PRIVATE_API bool emu_dpa_begin(const char *call);
/* For a further object of the same call; no further leave. */
EMU_PRIVATE_API void *emu_dpa_find(enum emu_dpa_kind kind, uint64_t handle, const char *call);
EMU_PRIVATE_API void emu_dpa_leave(void);

/* Where a handle stands among all handles, and the object that stands there and has this kind (or NULL): for numbers
 * that must name an object and something within it. Inside a device call. */
#define EMU_DPA_INDEX_BITS 16
EMU_PRIVATE_API void *emu_dpa_at(enum emu_dpa_kind kind, uint16_t index);

/* ---- what an EU is doing ---- */

enum emu_dpa_job { EMU_DPA_RPC, EMU_DPA_LAUNCH, EMU_DPA_THREAD };
enum emu_dpa_end { EMU_DPA_RETURNED, EMU_DPA_RESCHEDULED, EMU_DPA_FINISHED };

#define EMU_DPA_MAX_UNFLUSHED 8

struct emu_dpa_run {
	_Atomic uint64_t calls; /* odd: inside a call on the device */
	struct doca_dpa *dpa;   /* whose objects the kernel means */
	struct doca_dpa *home;  /* of the kernel */
	enum emu_dpa_job job;
	enum emu_dpa_end on_return; /* what a return means */
	uint32_t rank, num_threads;
	uint64_t local_storage;
	sigjmp_buf *end; /* to leave the kernel; the value is the enum emu_dpa_end */
	/* Producers that hold messages back until the run ends. */
	uint64_t unflushed[EMU_DPA_MAX_UNFLUSHED];
	uint32_t num_unflushed;
	void (*flush)(uint64_t producer);
	struct emu_dpa_run *next;
};

/* Of the calling EU; NULL on any other thread. */
EMU_PRIVATE_API struct emu_dpa_run *emu_dpa_run(void);
/* Says that the calling thread is an EU, or is none any more. */
EMU_PRIVATE_API void emu_dpa_run_register(struct emu_dpa_run *run);
EMU_PRIVATE_API void emu_dpa_run_unregister(struct emu_dpa_run *run);

/* ---- memory maps as programs on the DPA see them ---- */

/* Where the kernel may read and write what a map has at an address; NULL, and the dpa's error: nowhere. Inside a device
 * call. */
EMU_PRIVATE_API void *emu_dpa_map_pointer(uint32_t handle, uint64_t addr, const char *call);

/* Copies bytes from one map to another; false, and the dpa's error: not possible. Inside a device call. */
EMU_PRIVATE_API bool emu_dpa_map_copy(uint32_t dst_map, uint64_t dst, uint32_t src_map, uint64_t src, uint64_t len,
				      const char *call);

#endif
