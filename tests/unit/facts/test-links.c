/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of GPUs are found by PCI addresses however they are written. */
#include "facts/links.h"
#include "tap.h"

int main(void)
{
    struct arena a;
    struct facts f = {0};
    arena_init(&a, 0);
    ok(links_same_pci("0000:01:00.0", "00000000:01:00.0") && links_same_pci("0000:0A:00.0", "0000:0a:00.0"), "more zeros, capitals");
    ok(!links_same_pci("0000:01:00.0", "0000:02:00.0") && !links_same_pci("0001:01:00.0", "0000:01:00.0") && !links_same_pci(NULL, NULL), "others");
    ok(str_eq(links_plain_pci(&a, "00000000:0A:00.0"), "0000:0a:00.0") && str_eq(links_plain_pci(&a, "00010000:01:00.0"), "10000:01:00.0"), "as Linux writes them");
    ok(str_eq(links_plain_pci(&a, "0000:01:00.0"), "0000:01:00.0") && !links_plain_pci(&a, NULL) && str_eq(links_plain_pci(&a, "?"), "?"), "left alone");
    struct fact_gpu_link *l = links_get(&a, &f, "0000:01:00.0", "0000:02:00.0");
    ok(l && f.n_gpu_links == 1, "made");
    ok(links_get(&a, &f, "00000000:02:00.0", "0000:01:00.0") == l && f.n_gpu_links == 1, "the other way round it is the same");
    ok(!links_get(&a, &f, "0000:01:00.0", "00000000:01:00.0") && !links_get(&a, &f, NULL, "0000:01:00.0"), "no pair");
    ok(links_find(&f, "0000:02:00.0", "0000:01:00.0") == l && !links_find(&f, "0000:02:00.0", "0000:03:00.0"), "found, not found");
    arena_done(&a);
    return tap_done();
}
