/* SPDX-License-Identifier: Apache-2.0 */
/* links - the records of pairs of GPUs. */
#include "facts/links.h"
#include <string.h>
#include <strings.h>

bool links_same_pci(const char *a, const char *b)
{
    return a && b && strcasecmp(a + strspn(a, "0"), b + strspn(b, "0")) == 0;
}

const char *links_plain_pci(struct arena *a, const char *pci)
{
    const char *colon = pci ? strchr(pci, ':') : NULL;
    if (!colon)
        return pci;
    while (colon - pci > 4 && *pci == '0')
        pci++;
    char *plain = arena_strdup(a, pci);
    for (char *p = plain; *p; p++)
        if (*p >= 'A' && *p <= 'F')
            *p = (char)(*p - 'A' + 'a');
    return plain;
}

const struct fact_gpu_link *links_find(const struct facts *f, const char *a, const char *b)
{
    for (size_t i = 0; i < f->n_gpu_links; i++) {
        const struct fact_gpu_link *l = &f->gpu_links[i];
        if ((links_same_pci(l->a, a) && links_same_pci(l->b, b)) || (links_same_pci(l->a, b) && links_same_pci(l->b, a)))
            return l;
    }
    return NULL;
}

struct fact_gpu_link *links_get(struct arena *a, struct facts *f, const char *pci_a, const char *pci_b)
{
    const struct fact_gpu_link *have = links_find(f, pci_a, pci_b);
    if (have)
        return &f->gpu_links[have - f->gpu_links];
    if (!pci_a || !pci_b || links_same_pci(pci_a, pci_b))
        return NULL;
    struct fact_gpu_link *l = ARENA_PUSH(a, f->gpu_links, f->n_gpu_links);
    *l = (struct fact_gpu_link){.a = pci_a, .b = pci_b};
    return l;
}
