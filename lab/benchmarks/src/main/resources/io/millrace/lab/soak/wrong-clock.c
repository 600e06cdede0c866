/* Preloaded into a process: its clock of the day is WRONG_CLOCK_SECONDS ahead, its timers are right. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long ahead(void) {
  static long seconds = -1;
  if (seconds < 0) {
    const char *text = getenv("WRONG_CLOCK_SECONDS");
    seconds = text == NULL ? 0 : atol(text);
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int failed = (int) syscall(SYS_clock_gettime, clock, time);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += ahead();
  }
  return failed;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  int failed = clock_gettime(CLOCK_REALTIME, &now);
  if (failed == 0 && time != NULL) {
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
  }
  return failed;
}

time_t time(time_t *out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out != NULL) {
    *out = now.tv_sec;
  }
  return now.tv_sec;
}
