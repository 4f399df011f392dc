/* SPDX-License-Identifier: Apache-2.0 */
/* main - the small program of the layouts: opens NAME, itself or through CALLER's ask(), and tells what the loader did.
 *
 *   main CALLER|- NAME
 *
 * On stdout: "before PATH" for each object loaded before the request, then "ok PATH VALUE" or "error TEXT", then "after PATH"
 * for each object loaded now. When SIGBUS or SIGSEGV ends the process: "fault ADDRESS" and /proc/self/maps. On stderr, between LD_DEBUG's lines: "@@BEGIN" and "@@END" around the request.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void *(*ask_fn)(const char *, int);

static void list(const char *word)
{
    for (struct link_map *m = dlopen(NULL, RTLD_LAZY); m; m = m->l_next)
        printf("%s %s\n", word, m->l_name);
    fflush(stdout);
}

static void mark(const char *text)
{
    if (write(2, text, strlen(text)) < 0)
        _exit(99);
}

/* Which file's page was missing? Only calls that are safe in a handler. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
    static char text[4096] = "fault 0x";
    unsigned long addr = (unsigned long)info->si_addr;
    (void)context;
    for (int i = 0; i < 16; i++)
        text[8 + i] = "0123456789abcdef"[addr >> (60 - 4 * i) & 15];
    text[24] = '\n';
    ssize_t n = 25;
    int fd = open("/proc/self/maps", O_RDONLY);
    do {
        if (write(1, text, (size_t)n) < 0)
            break;
        n = read(fd, text, sizeof text);
    } while (n > 0);
    signal(sig, SIG_DFL);
    raise(sig);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 98;
    struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_RESETHAND};
    sigaction(SIGBUS, &sa, NULL);
    sigaction(SIGSEGV, &sa, NULL);
    ask_fn ask = NULL;
    if (strcmp(argv[1], "-") != 0) {
        void *h = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        ask = h ? (ask_fn)dlsym(h, "ask") : NULL;
        if (!ask) {
            printf("nocaller %s\n", dlerror());
            return 97;
        }
    }
    list("before");
    mark("@@BEGIN\n");
    void *lib = ask ? ask(argv[2], RTLD_NOW | RTLD_LOCAL) : dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    mark("@@END\n");
    if (!lib) {
        printf("error %s\n", dlerror());
    } else {
        int (*who)(void) = (int (*)(void))dlsym(lib, "who");
        printf("ok %d %s\n", who ? who() : -1, ((struct link_map *)lib)->l_name);
    }
    list("after");
    return 0;
}
