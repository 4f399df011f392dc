/* SPDX-License-Identifier: Apache-2.0 */
/* x86dec-lengths - for tests/truth/run-x86dec: reads "OFFSET LENGTH" lines, decodes FILE at each offset, prints the differences. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/util.h"
#include "formats/x86dec.h"

int main(int argc, char **argv)
{
    char line[64];
    unsigned long n = 0, wrong = 0;
    FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
    while (f && fgets(line, sizeof line, stdin)) {
        struct x86_insn in;
        unsigned char raw[15];
        uint64_t off, len;
        struct str rest = {line, 0};
        while (rest.p[rest.n] && rest.p[rest.n] != ' ' && rest.p[rest.n] != '\n')
            rest.n++;
        struct str second = {rest.p + rest.n + (rest.p[rest.n] == ' '), 0};
        while (second.p[second.n] >= '0' && second.p[second.n] <= '9')
            second.n++;
        if (str_to_u64(rest.p, rest.n, 10, &off) || str_to_u64(second.p, second.n, 10, &len) || fseek(f, (long)off, SEEK_SET))
            return 2;
        size_t got = fread(raw, 1, sizeof raw, f), have = x86_decode(raw, got, &in);
        n++;
        if (have == len)
            continue;
        wrong++;
        printf("%" PRIu64 " %" PRIu64 " %zu\n", off, len, have);
    }
    if (f)
        fclose(f);
    fprintf(stderr, "%lu %lu\n", n, wrong);
    return !f || n == 0;
}
