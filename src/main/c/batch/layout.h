/* What C and Java must agree on, as one number: the names, offsets and sizes of all fields of all structures that both
 * use, the sizes of those structures, the constants, and BATCH_VERSION.
 *
 * Java computes the same number from the bindings that jextract made of batch.h and messages.h
 * (io.github.comch4j.internal.transport.BatchLayout) and hands it over with the functions; a library that was built
 * from other headers has another number and refuses.
 */
#ifndef COMCH4J_LAYOUT_H
#define COMCH4J_LAYOUT_H

#include <stdint.h>

#include "batch.h"

BATCH_API uint64_t comch4j_batch_layout(void);

#endif
