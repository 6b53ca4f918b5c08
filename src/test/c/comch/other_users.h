/* Processes of other users, which only root can make. After harness.h. */
#ifndef COMCH_TEST_OTHER_USERS_H
#define COMCH_TEST_OTHER_USERS_H

#include <grp.h>
#include <unistd.h>

/* Numbers that nobody needs to have in /etc/passwd. */
#define ALICE 61001
#define BOB 61002
#define MALLORY 61003
#define FRIENDS 61100

#define ROOT_ONLY()                                                                                                    \
	do {                                                                                                           \
		if (geteuid() != 0)                                                                                    \
			skip();                                                                                        \
	} while (0)

static inline void become(uid_t user, gid_t group, size_t num_more, const gid_t *more)
{
	CHECK(setgroups(num_more, more) == 0);
	CHECK(setresgid(group, group, group) == 0);
	CHECK(setresuid(user, user, user) == 0);
}

#endif
