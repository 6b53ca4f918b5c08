/* What every C test needs: cmocka, and checks that name DOCA's errors. */
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "doca_error.h"

/* Fails with both names when `call` does not answer `expected`. */
#define expect(expected, call)                                                                                         \
	do {                                                                                                           \
		doca_error_t expect_actual_ = (call);                                                                  \
		doca_error_t expect_wanted_ = (expected);                                                              \
		if (expect_actual_ != expect_wanted_)                                                                  \
			fail_msg("%s: %s instead of %s", #call, doca_error_get_name(expect_actual_),                   \
				 doca_error_get_name(expect_wanted_));                                                 \
	} while (0)

#define expect_success(call) expect(DOCA_SUCCESS, call)
#define expect_invalid(call) expect(DOCA_ERROR_INVALID_VALUE, call)

#endif
