/* SPDX-License-Identifier: Apache-2.0 */
/* pci.ids: every device of a generated file is found by bisection, and nothing else is. */
#include "tap.h"
#include "base/buf.h"
#include "formats/pciids.h"

static struct arena a;

static int find(const struct buf *b, unsigned vendor, unsigned device, const char **ret)
{
    struct memsrc m = {(const unsigned char *)b->p, b->len};
    struct bytesrc s = bytesrc_mem(&m);
    *ret = NULL;
    return pciids_find(&s, (uint16_t)vendor, (uint16_t)device, &a, ret, NULL);
}

/* Vendors 0x1000, 0x1010 …; each with a different number of devices, subsystems and comments between them. */
static void generate(struct buf *b, unsigned vendors)
{
    buf_adds(b, "#\n# list of ids\n#\n\n");
    for (unsigned v = 0; v < vendors; v++) {
        buf_addf(b, "%04x  Vendor %u\n", 0x1000 + v * 16, v);
        for (unsigned d = 0; d < v % 97; d++) {
            buf_addf(b, "\t%04x  V%uD%u [Card %u]\n", d * 3, v, d, d);
            for (unsigned s = 0; s < d % 41; s++)
                buf_addf(b, "\t\t1043 %04x  Board %u of a long and winding name\n", s, s);
            if (d % 7 == 0)
                buf_adds(b, "# a comment\n");
        }
    }
    buf_adds(b, "\nC 00  Unclassified device\n\t00  Non-VGA unclassified device\nC 03  Display controller\n");
}

static void all_devices(const struct buf *b, unsigned vendors)
{
    const char *name;
    unsigned wrong = 0;
    for (unsigned v = 0; v < vendors; v++)
        for (unsigned d = 0; d < v % 97; d++)
            wrong += find(b, 0x1000 + v * 16, d * 3, &name) != 1 || strcmp(name, arena_printf(&a, "V%uD%u [Card %u]", v, d, d)) != 0;
    ok(wrong == 0, "every device has its own name (%u wrong)", wrong);
    for (unsigned v = 0; v < vendors; v++) {
        wrong += find(b, 0x1001 + v * 16, 0, &name) != 0;                  /* between vendors */
        wrong += find(b, 0x1000 + v * 16, (v % 97) * 3, &name) != 0;      /* behind the last device */
        wrong += find(b, 0x1000 + v * 16, 1, &name) != 0;                  /* between devices */
    }
    ok(wrong == 0, "nothing else is found (%u wrong)", wrong);
    ok(find(b, 0xffff, 0, &name) == 0 && find(b, 0, 0, &name) == 0, "before the first and behind the last vendor");
}

int main(void)
{
    struct buf b;
    const char *name;
    arena_init(&a, 0);
    buf_init(&b, 0);
    generate(&b, 120);
    all_devices(&b, 120);
    buf_reset(&b);
    buf_adds(&b, "10de  NVIDIA Corporation\n\t2204  GA102 [GeForce RTX 3090]");
    ok(find(&b, 0x10de, 0x2204, &name) == 1, "last line without a newline");
    ok_str(name, "GA102 [GeForce RTX 3090]", "its name");
    buf_reset(&b);
    buf_adds(&b, "8086  Intel\n\t4680  GT1\n10de  NVIDIA\n\t2204  GA102\n");
    ok(find(&b, 0x10de, 0x4680, &name) == 0, "an unsorted file gives no wrong name");
    buf_reset(&b);
    buf_adds(&b, "");
    ok(find(&b, 0x10de, 0x2204, &name) == 0, "an empty file");
    for (unsigned i = 0; i < 5000; i++)
        buf_addc(&b, 'x');
    buf_adds(&b, "\n10de  NVIDIA\n\t2204  GA102\n");
    ok(find(&b, 0x10de, 0x2204, &name) == 1, "a line longer than the window is passed over");
    buf_done(&b);
    arena_done(&a);
    return tap_done();
}
