#include "loop.h"

#define MAX_PES 1024

static _Thread_local struct doca_pe *pes[MAX_PES];
static _Thread_local int num_pes;

struct doca_pe *loop_new_pe(void)
{
	struct doca_pe *pe;
	MUST(doca_pe_create(&pe));
	if (num_pes == MAX_PES)
		fail("too many engines");
	pes[num_pes++] = pe;
	return pe;
}

void loop_turn(int64_t deadline)
{
	for (int i = 0; i < num_pes; i++)
		doca_pe_progress(pes[i]);
	if (now_ns() > deadline)
		fail("waited too long for the peer");
}

enum doca_ctx_states ctx_state(const struct doca_ctx *ctx)
{
	enum doca_ctx_states state;
	MUST(doca_ctx_get_state(ctx, &state));
	return state;
}
