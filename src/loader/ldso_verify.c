/* SPDX-License-Identifier: Apache-2.0 */
/* ldso_verify - what is checked between mapping and relocation: symbol versions (glibc elf/dl-version.c) and the instruction
 * level a file asks for (sysdeps/x86/dl-prop.h). */
#include <string.h>
#include "base/util.h"
#include "loader/ldso_internal.h"

bool ldso_names_match(const struct ldso *p, const struct obj *o, const char *name)
{
    uint32_t hash = str_hash(name);
    for (size_t i = 0; i < p->n_names; i++) {
        const struct ldso_name *n = &p->names[i];
        if (n->obj == o && n->hash == hash && !n->soname && strcmp(n->name, name) == 0)
            return true;
    }
    return false;
}

/* Load order; only names that someone asked for count here. */
static struct obj *provider_of(const struct ldso *p, const char *name, bool *ret_sole)
{
    struct obj *best = NULL;
    *ret_sole = true;
    uint32_t hash = str_hash(name);
    for (size_t i = 0; i < p->n_names; i++) {
        const struct ldso_name *n = &p->names[i];
        if (n->hash != hash || n->soname || strcmp(n->name, name) != 0)
            continue;
        *ret_sole &= !best || best == n->obj;
        if (!best || n->obj->o.index < best->o.index)
            best = n->obj;
    }
    return best;
}

/* A version may be called like the file, whose own entry has number 1: symbols have the other one. */
static const struct elf_verdef *definition(const struct elf *e, const struct elf_verneed *v)
{
    const struct elf_verdef *d = NULL;
    for (size_t i = 0; i < e->n_verdef && (!d || d->index <= 1); i++)
        if (e->verdef[i].hash == v->hash && strcmp(e->verdef[i].name, v->version) == 0)
            d = &e->verdef[i];
    return d;
}

/* All versions that `o` wants; false and *f filled at the first that is not there. */
bool ldso_verify_versions(struct ldso *p, struct obj *o, struct ldso_fault *f)
{
    const struct elf *e = o->o.elf;
    const char *last = NULL;
    struct obj *by = NULL;
    bool sole = false;
    if (o->verified)
        return true;
    o->verified = true;
    if (p->cfg.check_symbols)
        o->promises = arena_array(p->a, e->n_verneed, sizeof *o->promises);
    for (size_t i = 0; i < e->n_verneed; i++) {
        const struct elf_verneed *v = &e->verneed[i];
        if (v->file != last)
            by = provider_of(p, v->file, &sole);
        last = v->file;
        if (!by) {
            *f = (struct ldso_fault){.outcome = LDSO_KILLED, .signal = "abort", .culprit = v->file, .culprit_file = o->o.name,
                                     .culprit_by = o->o.name, .message = "Inconsistency detected by ld.so: _dl_check_map_versions"};
            return false;
        }
        const struct elf_verdef *d = definition(by->o.elf, v);
        if (d && sole && o->promises)
            o->promises[i] = (struct promise){by, d->index > 1 ? d->index : 0};
        if (!by->o.elf->has_verdef || v->weak || d)
            continue; /* a provider without any versions passes here */
        *f = (struct ldso_fault){.outcome = LDSO_FAILED, .culprit = v->file, .culprit_file = by->o.name, .culprit_by = o->o.name,
                                 .message = arena_printf(p->a, "%s: version `%s' not found (required by %s)", by->o.name, v->version, o->o.name)};
        return false;
    }
    return true;
}

bool ldso_verify_cpu(struct ldso *p, struct obj *const *list, size_t n, struct ldso_fault *f)
{
    uint32_t have = (1u << p->cpu.level) - 1;
    if (p->glibc_minor && p->glibc_minor < 33)
        return true;
    for (size_t i = 0; i < n; i++) {
        const struct obj *o = list[i];
        if (!(o->o.elf->isa_needed & ~(p->cpu_unknown ? 1 : have)))
            continue;
        *f = (struct ldso_fault){.outcome = p->cpu_unknown ? LDSO_UNDETERMINED : LDSO_FAILED, .culprit = o->o.asked, .culprit_file = o->o.name,
                                 .culprit_by = o->o.loader ? o->o.loader->name : NULL,
                                 .message = arena_printf(p->a, "%s: CPU ISA level is lower than required", o->o.name)};
        return false;
    }
    return true;
}
