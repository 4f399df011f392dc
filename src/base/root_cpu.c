/* SPDX-License-Identifier: Apache-2.0 */
/* root_cpu - the live machine's processor flags by CPUID, named as in /proc/cpuinfo; "usable" includes what the kernel
 * enables (XCR0). Source: Intel SDM vol. 2, CPUID; vol. 1, 13.2. Other architectures: unknown. */
#include <string.h>
#include "base/buf.h"
#include "base/root_internal.h"
#include "base/util.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum reg { EAX, EBX, ECX, EDX, REGS };
enum { XCR0_NONE = 0, XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6 };

static const struct { const char *flag; unsigned leaf; enum reg reg; unsigned bit; unsigned xcr0; } table[] = { /* by leaf */
    {"cx16", 1, ECX, 13, XCR0_NONE},  {"popcnt", 1, ECX, 23, XCR0_NONE},     {"pni", 1, ECX, 0, XCR0_NONE},
    {"ssse3", 1, ECX, 9, XCR0_NONE},  {"sse4_1", 1, ECX, 19, XCR0_NONE},     {"sse4_2", 1, ECX, 20, XCR0_NONE},
    {"movbe", 1, ECX, 22, XCR0_NONE}, {"fma", 1, ECX, 12, XCR0_AVX},         {"avx", 1, ECX, 28, XCR0_AVX},
    {"f16c", 1, ECX, 29, XCR0_AVX},   {"hypervisor", 1, ECX, 31, XCR0_NONE},
    {"bmi1", 7, EBX, 3, XCR0_NONE},   {"avx2", 7, EBX, 5, XCR0_AVX},         {"bmi2", 7, EBX, 8, XCR0_NONE},
    {"avx512f", 7, EBX, 16, XCR0_AVX512},  {"avx512dq", 7, EBX, 17, XCR0_AVX512}, {"avx512cd", 7, EBX, 28, XCR0_AVX512},
    {"avx512bw", 7, EBX, 30, XCR0_AVX512}, {"avx512vl", 7, EBX, 31, XCR0_AVX512},
    {"lahf_lm", 0x80000001, ECX, 0, XCR0_NONE}, {"abm", 0x80000001, ECX, 5, XCR0_NONE},
};

/* In a virtual machine every CPUID is a trip to the hypervisor: each leaf is asked for once, as is the highest one. */
struct cpuid { unsigned basic, extended, vendor[3]; };

static struct cpuid cpuid_begin(void)
{
    struct cpuid c;
    unsigned v[4];
    __cpuid(0, c.basic, c.vendor[0], c.vendor[2], c.vendor[1]);
    __cpuid(0x80000000, v[EAX], v[EBX], v[ECX], v[EDX]);
    c.extended = v[EAX];
    return c;
}

static bool cpuid_leaf(const struct cpuid *c, unsigned leaf, unsigned v[4])
{
    if (leaf > (leaf & 0x80000000 ? c->extended : c->basic)) {
        memset(v, 0, 4 * sizeof *v);
        return false;
    }
    __cpuid_count(leaf, 0, v[EAX], v[EBX], v[ECX], v[EDX]);
    return true;
}

static unsigned xcr0(unsigned leaf1_ecx)
{
    unsigned lo, hi;
    if (!(leaf1_ecx & (1u << 27))) /* OSXSAVE */
        return 0;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return lo;
}

static void brand(struct root *r, const struct cpuid *c)
{
    unsigned v[12] = {0};
    for (unsigned i = 0; c->extended >= 0x80000004 && i < 3; i++)
        (void)cpuid_leaf(c, 0x80000002 + i, v + (size_t)4 * i); /* cannot fail: it is not above the highest */
    char text[sizeof v + 1] = "";
    memcpy(text, v, sizeof v);
    struct str s = str_trim((struct str){text, strlen(text)});
    if (s.n)
        r->cpu_model = arena_strndup(r->a, s.p, s.n);
    r->cpu_vendor = arena_strndup(r->a, (const char *)c->vendor, sizeof c->vendor);
}

void root_cpu_live(struct root *r)
{
    const struct cpuid c = cpuid_begin();
    struct buf b;
    buf_init(&b, 4096);
    buf_addc(&b, ' ');
    unsigned v[4] = {0}, leaf = 0, enabled = 0;
    for (size_t i = 0; i < TG_COUNT(table); i++) {
        if (table[i].leaf != leaf) {
            leaf = table[i].leaf;
            if (cpuid_leaf(&c, leaf, v) && leaf == 1) /* the first one */
                enabled = xcr0(v[ECX]);
        }
        if ((v[table[i].reg] & (1u << table[i].bit)) && (enabled & table[i].xcr0) == table[i].xcr0)
            buf_addf(&b, "%s ", table[i].flag);
    }
    r->cpu_flags = arena_strndup(r->a, b.p, b.len);
    buf_done(&b);
    brand(r, &c);
}
#else
void root_cpu_live(struct root *r)
{
    (void)r;
}
#endif
