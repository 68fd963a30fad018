/* Loaded before the C library: each fsync and fdatasync takes SLOW_SYNC_US microseconds more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void wait_first(void) {
  const char *text = getenv("SLOW_SYNC_US");
  long us = text ? atol(text) : 0;
  struct timespec pause = {us / 1000000, (us % 1000000) * 1000};
  nanosleep(&pause, NULL);
}

int fsync(int fd) {
  wait_first();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  wait_first();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
