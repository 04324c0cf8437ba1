/* The machine: the core that the bench runs on, and the name of the CPU. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* sched_setaffinity under -std=c99 */
#endif
#include "bench.h"
#include <stdio.h>
#include <string.h>
#if defined(__linux__)
#include <sched.h>
#endif

int bench_pin(int cpu) {
#if defined(__linux__)
    cpu_set_t allowed, one;
    int i;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
    for (i = CPU_SETSIZE - 1; i >= 0 && cpu < 0; i--)
        if (CPU_ISSET((size_t)i, &allowed)) cpu = i;
    CPU_ZERO(&one);
    if (cpu >= 0) CPU_SET((size_t)cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0 ? cpu : -1;
#else
    (void)cpu;
    return -1;
#endif
}

void bench_cpu_name(char *text, size_t size) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[256];
    snprintf(text, size, "unknown CPU");
    while (f != NULL && fgets(line, sizeof line, f) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        line[strcspn(line, "\n")] = '\0';
        snprintf(text, size, "%s", colon + 2);
        break;
    }
    if (f != NULL) fclose(f);
}
