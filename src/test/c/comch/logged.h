/* What the emulated device logs, for tests that ask which check has refused something. */
#ifndef TEST_LOGGED_H
#define TEST_LOGGED_H

#include <stddef.h>

/* Keeps the log from here on; once in a program, before the first look at the devices. */
void log_keep(void);
void log_forget(void);
size_t times_logged(const char *part);
/* Ends the program unless it has been logged exactly once. */
void expect_logged(const char *part);

#endif
