/* SPDX-License-Identifier: Apache-2.0 */
/* root_cpu - the live machine's processor flags by CPUID, named as in /proc/cpuinfo; "usable" includes what the kernel
 * enables (XCR0). Source: Intel SDM vol. 2, CPUID; vol. 1, 13.2. Other architectures: unknown. */
#include <string.h>
#include "base/buf.h"
#include "base/root_internal.h"
#include "base/util.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/platform/x86.h>

enum reg { EAX, EBX, ECX, EDX };
enum { XCR0_NONE = 0, XCR0_AVX = 0x6, XCR0_AVX512 = 0xe6 };

static const struct { const char *flag; unsigned leaf; enum reg reg; unsigned bit; unsigned xcr0; } table[] = {
    {"cx16", CPUID_INDEX_1, ECX, 13, XCR0_NONE},  {"popcnt", CPUID_INDEX_1, ECX, 23, XCR0_NONE},     {"pni", CPUID_INDEX_1, ECX, 0, XCR0_NONE},
    {"ssse3", CPUID_INDEX_1, ECX, 9, XCR0_NONE},  {"sse4_1", CPUID_INDEX_1, ECX, 19, XCR0_NONE},     {"sse4_2", CPUID_INDEX_1, ECX, 20, XCR0_NONE},
    {"movbe", CPUID_INDEX_1, ECX, 22, XCR0_NONE}, {"fma", CPUID_INDEX_1, ECX, 12, XCR0_AVX},         {"avx", CPUID_INDEX_1, ECX, 28, XCR0_AVX},
    {"f16c", CPUID_INDEX_1, ECX, 29, XCR0_AVX},   {"hypervisor", CPUID_INDEX_1, ECX, 31, XCR0_NONE},
    {"bmi1", CPUID_INDEX_7, EBX, 3, XCR0_NONE},   {"avx2", CPUID_INDEX_7, EBX, 5, XCR0_AVX},         {"bmi2", CPUID_INDEX_7, EBX, 8, XCR0_NONE},
    {"avx512f", CPUID_INDEX_7, EBX, 16, XCR0_AVX512},  {"avx512dq", CPUID_INDEX_7, EBX, 17, XCR0_AVX512}, {"avx512cd", CPUID_INDEX_7, EBX, 28, XCR0_AVX512},
    {"avx512bw", CPUID_INDEX_7, EBX, 30, XCR0_AVX512}, {"avx512vl", CPUID_INDEX_7, EBX, 31, XCR0_AVX512},
    {"lahf_lm", CPUID_INDEX_80000001, ECX, 0, XCR0_NONE}, {"abm", CPUID_INDEX_80000001, ECX, 5, XCR0_NONE},
};

/* What CPUID said. In a virtual machine each CPUID is a trip to the hypervisor (3 to 7 us), so the copy that the C library made when
 * the process started is read; not what it holds for usable, which a tunable can mask. */
static const unsigned *leaf_words(unsigned leaf)
{
    return __x86_get_cpuid_feature_leaf(leaf)->cpuid_array;
}

static unsigned xcr0(unsigned leaf1_ecx)
{
    unsigned lo, hi;
    if (!(leaf1_ecx & (1u << 27))) /* OSXSAVE */
        return 0;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return lo;
}

void root_cpu_live(struct root *r)
{
    struct buf b;
    buf_init(&b, 4096);
    buf_addc(&b, ' ');
    unsigned enabled = xcr0(leaf_words(CPUID_INDEX_1)[ECX]);
    for (size_t i = 0; i < TG_COUNT(table); i++) {
        if ((leaf_words(table[i].leaf)[table[i].reg] & (1u << table[i].bit)) && (enabled & table[i].xcr0) == table[i].xcr0) {
            buf_adds(&b, table[i].flag);
            buf_addc(&b, ' ');
        }
    }
    r->cpu_flags = arena_strndup(r->a, b.p, b.len);
    buf_done(&b);
}

const char *root_cpu_vendor_live(struct arena *a)
{
    unsigned highest, v[3];
    __cpuid(0, highest, v[0], v[2], v[1]);
    return arena_strndup(a, (const char *)v, sizeof v);
}

const char *root_cpu_model_live(struct arena *a)
{
    const unsigned extended = 0x80000000;
    unsigned v[12] = {0}, highest, unused[3];
    __cpuid(extended, highest, unused[0], unused[1], unused[2]);
    for (unsigned i = 0; highest >= extended + 4 && i < 3; i++)
        __cpuid(extended + 2 + i, v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
    char text[sizeof v + 1] = "";
    memcpy(text, v, sizeof v);
    struct str s = str_trim((struct str){text, strlen(text)});
    return s.n ? arena_strndup(a, s.p, s.n) : NULL;
}
#else
void root_cpu_live(struct root *r)
{
    (void)r;
}

const char *root_cpu_vendor_live(struct arena *a)
{
    (void)a;
    return NULL;
}

const char *root_cpu_model_live(struct arena *a)
{
    (void)a;
    return NULL;
}
#endif
