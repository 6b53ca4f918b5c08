/* Faults that are told from outside, while the process runs: the file NAME.faults of the fabric folder. Only who starts
 * the process can have it listen, with DOCA_EMU_FAULTS=@NAME; and only the process's own user can tell it something,
 * also where a group shares the folder.
 *
 * Threads: any, once told_faults_listen has returned. */
#ifndef EMU_TOLD_FAULTS_H
#define EMU_TOLD_FAULTS_H

#include <stdbool.h>

#define TOLD_FAULTS_BYTES 512

/* Begins to listen. False: not such a name, which has letters, digits, '-' and '_'. */
bool told_faults_listen(const char *name);

bool told_faults_listening(void);

/* Whether something else is told than at the latest look, which is some milliseconds ago at most; then `list` is that,
 * empty if the file has gone. */
bool told_faults_changed(char list[TOLD_FAULTS_BYTES]);

#endif
