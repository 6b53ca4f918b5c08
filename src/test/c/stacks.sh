#!/bin/sh
# stacks.sh PID: where each thread of a process is that hangs, and of the processes that it has started. By gdb where
# there is one and it may; else what the kernel tells of each thread.
show() {
  echo "--- process $1: $(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline")"
  stacks=$(timeout 20 gdb -p "$1" -nx -batch -ex 'thread apply all backtrace 30' 2>/dev/null | grep -E '^(Thread|#)')
  if [ -n "$stacks" ]; then
    echo "$stacks"
  else
    for task in "/proc/$1/task"/*; do
      echo "thread ${task##*/} ($(cat "$task/comm")): in $(cat "$task/wchan"), system call $(cat "$task/syscall")"
      cat "$task/stack"
    done 2>/dev/null
  fi
  for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do
    [ "$child" = $$ ] || show "$child"
  done
}
show "$1"
