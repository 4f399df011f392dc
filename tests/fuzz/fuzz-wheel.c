/* SPDX-License-Identifier: Apache-2.0 */
/* Wheels and the zip archives they are: any bytes. Names stay inside, members do not overlap, and a member gives the same bytes whether it is
 * read in order or from anywhere, or cannot be read; a row has a name. Memory and time are bounded by the input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "formats/wheel.h"
#include "formats/zipmember.h"
#include "probe/learn.h"

enum { MOST = 1 << 21 }; /* bytes of a member that are looked at */

static void read_member(const struct bytesrc *zip, const struct zip_entry *entry)
{
    struct zipmember *m;
    static unsigned char all[MOST], part[4096];
    if (entry->size > MOST || zipmember_open(zip, entry, &m, NULL) < 0)
        return;
    struct bytesrc s = zipmember_src(m);
    uint64_t from = s.size > sizeof part ? s.size - sizeof part : 0, n = s.size - from;
    if (bytesrc_read_exact(&s, from, part, (size_t)n) == 0) {
        if (bytesrc_read_exact(&s, 0, all, (size_t)s.size) < 0 || memcmp(all + from, part, (size_t)n) != 0)
            abort();
        zipmember_trim(m);
        if (bytesrc_read_exact(&s, from / 2, part, (size_t)n) < 0 || memcmp(all + from / 2, part, (size_t)n) != 0)
            abort();
    } else if (!zipmember_damage(m)) {
        abort();
    }
    zipmember_close(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memsrc mem = {data, size};
    struct bytesrc s = bytesrc_mem(&mem);
    struct arena a;
    struct zip z;
    struct wheel w;
    arena_init(&a, 64 << 20);
    if (zip_read(&s, &a, &z, NULL) == 0) {
        for (size_t i = 0; i < z.n; i++) {
            const char *name = z.entries[i].name;
            if (!*name || *name == '/' || strstr(name, "/../") || strncmp(name, "../", 3) == 0 || z.entries[i].end > size || zip_find(&z, name) != &z.entries[i])
                abort();
            if (i < 64)
                read_member(&s, &z.entries[i]);
        }
    }
    if (wheel_open(&s, &a, &w, NULL) == 0) {
        struct open_file f;
        char head[64];
        for (size_t i = 0; i < w.n && i < 64; i++)
            if (files_open(&w.files, w.list[i].path, &f, NULL) == 0) {
                (void)f.src.read(f.src.ctx, f.src.size / 2, head, sizeof head);
                file_close(&f);
            }
        if (!w.info || !strstr(w.info, ".dist-info"))
            abort();
        wheel_close(&w);
    }
    struct fact_wheel row;
    if (learn_wheel(&s, "x.whl", &a, &row, NULL) == 0 && (!row.name || !row.version || !row.sha256 || row.bytes != size))
        abort();
    arena_done(&a);
    return 0;
}
