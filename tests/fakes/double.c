/* SPDX-License-Identifier: Apache-2.0 */
/* double - script, numbering, log and faults of the driver doubles. */
#include "double.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINES = 512 };
static struct { char *text; struct { const char *key, *value; } line[MAX_LINES]; unsigned n; unsigned calls; const char *log; } script;

uint64_t double_digits(const char *s, const char **end)
{
    uint64_t v = 0;
    while (*s >= '0' && *s <= '9')
        v = v * 10 + (uint64_t)(*s++ - '0');
    if (end)
        *end = s;
    return v;
}

void double_copy(char *dst, size_t size, const char *src)
{
    if (size)
        (void)snprintf(dst, size, "%s", src);
}

static const char *find(const char *key)
{
    for (unsigned i = script.n; i-- > 0;)
        if (!strcmp(script.line[i].key, key))
            return script.line[i].value;
    return NULL;
}

__attribute__((format(printf, 1, 2))) static const char *findf(const char *fmt, ...)
{
    char key[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(key, sizeof key, fmt, ap);
    va_end(ap);
    return find(key);
}

const char *double_text(int device, const char *key, const char *other)
{
    const char *v = device >= 0 ? findf("%d.%s", device, key) : NULL;
    if (!v)
        v = find(key);
    return v ? v : other;
}

/* Decimal or 0x; a unit (KiB, MiB, GiB) multiplies. */
static uint64_t number(const char *s)
{
    if (s[0] == '0' && s[1] == 'x') {
        uint64_t v = 0;
        for (s += 2; *s; s++) {
            const char *digits = "0123456789abcdef", *d = strchr(digits, *s | 0x20);
            if (!d)
                break;
            v = v << 4 | (uint64_t)(d - digits);
        }
        return v;
    }
    uint64_t v = double_digits(s, &s);
    while (*s == ' ')
        s++;
    return *s == 'K' ? v << 10 : *s == 'M' ? v << 20 : *s == 'G' ? v << 30 : v;
}

uint64_t double_number(int device, const char *key, uint64_t other)
{
    const char *v = double_text(device, key, NULL);
    return v ? number(v) : other;
}

void double_pair(int device, const char *key, unsigned other_a, unsigned other_b, unsigned ret[2])
{
    const char *v = double_text(device, key, NULL);
    ret[0] = other_a, ret[1] = other_b;
    if (!v)
        return;
    ret[0] = (unsigned)double_digits(v, &v);
    ret[1] = *v ? (unsigned)double_digits(v + 1, NULL) : 0;
}

bool double_word(int device, const char *key, unsigned i, char *ret, size_t size)
{
    const char *v = double_text(device, key, "");
    for (;; i--) {
        v += strspn(v, " ,\t");
        size_t n = strcspn(v, " ,\t");
        if (n == 0)
            return false;
        if (i == 0) {
            (void)snprintf(ret, size, "%.*s", (int)n, v);
            return true;
        }
        v += n;
    }
}

unsigned double_devices(void)
{
    uint64_t n = double_number(DOUBLE_ANY, "devices", 1);
    return n > DOUBLE_MAX_DEVICES ? DOUBLE_MAX_DEVICES : (unsigned)n;
}

const char *double_uuid(int device, char ret[64])
{
    char other[64];
    (void)snprintf(other, sizeof other, "GPU-%08x-d0b1-4e00-8000-000000000000", 0xa0000000U + (unsigned)device * 0x01010101U);
    double_copy(ret, 64, double_text(device, "uuid", other));
    return ret;
}

bool double_mig_on(int device) { return double_number(device, "mig", 0) != 0; }

unsigned double_migs(int device)
{
    return double_mig_on(device) ? (unsigned)double_number(device, "mig_devices", 0) : 0;
}

const char *double_mig_uuid(int device, unsigned mig, char ret[64])
{
    (void)snprintf(ret, 64, "MIG-%08x-d0b1-5e00-8000-%012x", 0xb0000000U + (unsigned)device, mig);
    (void)double_word(device, "mig_uuids", mig, ret, 64);
    return ret;
}

static unsigned hex(const char *s, const char **end)
{
    unsigned v = 0;
    const char *digits = "0123456789abcdef", *d;
    for (; *s && (d = strchr(digits, *s | 0x20)) != NULL; s++)
        v = v << 4 | (unsigned)(d - digits);
    *end = *s ? s + 1 : s;
    return v;
}

void double_pci(int device, unsigned ret[4])
{
    const char *s = double_text(device, "pci", NULL);
    ret[0] = 0, ret[1] = (unsigned)device + 1, ret[2] = 0, ret[3] = 0;
    for (unsigned i = 0; s && i < 4; i++)
        ret[i] = hex(s, &s);
}

static void log_call(unsigned k, const char *function, int device)
{
    char line[200];
    int n = device < 0 ? snprintf(line, sizeof line, "%s %u %s\n", double_library, k, function)
                       : snprintf(line, sizeof line, "%s %u %s %d\n", double_library, k, function, device);
    int fd = open(script.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || n <= 0)
        return;
    if (write(fd, line, (size_t)n) != n)
        (void)dprintf(2, "%s: the log cannot be written (%s)\n", double_library, DOUBLE_NOTICE);
    (void)close(fd);
}

static int signal_number(const char *name)
{
    static const struct { const char *name; int number; } known[] = {
        {"ABRT", SIGABRT}, {"BUS", SIGBUS}, {"FPE", SIGFPE}, {"ILL", SIGILL}, {"KILL", SIGKILL}, {"SEGV", SIGSEGV}, {"TERM", SIGTERM},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strncmp(name, known[i].name, strlen(known[i].name)))
            return known[i].number;
    return SIGSEGV;
}

/* A number is the code to return; or crash [SIGNAL], exit [CODE], hang [SECONDS] (without a number for ever). */
static int play(const char *fault)
{
    const char *arg = fault + strcspn(fault, " ");
    arg += strspn(arg, " ");
    if (!strncmp(fault, "crash", 5)) {
        int sig = signal_number(arg);
        (void)signal(sig, SIG_DFL);
        (void)raise(sig);
        _exit(99);
    }
    if (!strncmp(fault, "exit", 4))
        _exit((int)double_digits(arg, NULL));
    if (!strncmp(fault, "hang", 4)) {
        unsigned left = (unsigned)double_digits(arg, NULL);
        if (!*arg)
            for (;;)
                (void)pause();
        while (left)
            left = sleep(left);
        return 0;
    }
    return (int)double_digits(fault, NULL);
}

int double_call(const char *function, int device)
{
    unsigned k = __atomic_add_fetch(&script.calls, 1, __ATOMIC_RELAXED);
    if (script.log)
        log_call(k, function, device);
    const char *fault = findf("fault.%s.%u", double_library, k);
    if (!fault && device >= 0)
        fault = findf("fault.%s.%d", function, device);
    if (!fault)
        fault = findf("fault.%s", function);
    if (!fault)
        fault = findf("fault.%s", double_library);
    int code = fault ? play(fault) : 0;
    if (code)
        return code;
    const char *lost = device >= 0 ? findf("%d.lost.%s", device, double_library) : NULL;
    return lost && k >= double_digits(lost, NULL) ? double_code_lost : 0;
}

/* Key and value without blanks around them; `#` starts a comment on a line of its own. */
static void take_line(char *s)
{
    s += strspn(s, " \t\r");
    char *eq = strchr(s, '=');
    if (*s == '#' || !eq || script.n == MAX_LINES)
        return;
    char *end = eq, *value = eq + 1 + strspn(eq + 1, " \t");
    while (end > s && strchr(" \t", end[-1]))
        end--;
    *end = '\0';
    for (end = value + strlen(value); end > value && strchr(" \t\r", end[-1]);)
        *--end = '\0';
    script.line[script.n].key = s;
    script.line[script.n++].value = value;
}

static void read_script(const char *path)
{
    FILE *f = fopen(path, "re");
    size_t size = 0;
    if (!f)
        return;
    if (getdelim(&script.text, &size, '\0', f) < 0)
        script.text = NULL;
    (void)fclose(f);
    for (char *s = script.text, *next; s; s = next) {
        next = strchr(s, '\n');
        if (next)
            *next++ = '\0';
        take_line(s);
    }
}

/* The script is named by the environment, else it lies beside the library, else one healthy device is pretended. */
__attribute__((constructor)) static void load(void)
{
    const char *path = getenv("TFGPU_DRIVER_DOUBLE");
    char beside[4096];
    Dl_info self;
    if (!path && dladdr(double_library, &self) && self.dli_fname) {
        const char *slash = strrchr(self.dli_fname, '/');
        int n = slash ? (int)(slash - self.dli_fname) + 1 : 0;
        if (snprintf(beside, sizeof beside, "%.*sdriver-double.conf", n, self.dli_fname) < (int)sizeof beside)
            path = beside;
    }
    if (path)
        read_script(path);
    script.log = double_text(DOUBLE_ANY, "log", getenv("TFGPU_DRIVER_DOUBLE_LOG"));
    if (script.log)
        log_call(0, "load", DOUBLE_ANY);
    const char *fault = findf("fault.%s.0", double_library);
    if (fault)
        (void)play(fault);
}
