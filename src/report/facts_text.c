/* SPDX-License-Identifier: Apache-2.0 */
/* facts_text - the facts that were judged, as a reader wants them. */
#include "report/facts_text.h"
#include <string.h>
#include "base/i18n.h"
#include "report/text_util.h"
#include "report/wrap.h"

enum { LABEL_COL = 20 };

static void line(const struct report *r, struct buf *out, const char *label, const char *text)
{
    if (text && *text)
        labelled(r, out, 2, label, LABEL_COL, text);
}

static void title(const struct report *r, struct buf *out, const char *text)
{
    buf_addc(out, '\n');
    inked(r, out, INK_BOLD, text);
    buf_addc(out, '\n');
}

/* "a", "a (b)", "b" or NULL. */
static const char *with(struct arena *a, const char *text, const char *more)
{
    return text && more ? arena_printf(a, "%s (%s)", text, more) : text ? text : more;
}

static const char *yes_no(enum tri t)
{
    return t == TRI_YES ? _("yes") : t == TRI_NO ? _("no") : _("not known");
}

const char *short_path(const struct report *r, const char *path)
{
    const char *tf = r->f->tensorflow.package_dir;
    const char *base = tf ? path_base(tf) : NULL;
    size_t n = tf ? (size_t)(base - tf) : 0;
    if (n > 1 && path && strncmp(path, tf, n) == 0)
        return arena_printf(r->a, "SP/%s", path + n);
    return path;
}

static void machine(const struct report *r, struct buf *out)
{
    const struct fact_machine *m = &r->f->machine;
    title(r, out, _("Machine"));
    line(r, out, _("kind"), with(r->a, fact_machine_kind_id(m->kind), m->kind_evidence));
    if (m->container != FACT_CONTAINER_KIND_NONE)
        line(r, out, _("container"), with(r->a, fact_container_kind_id(m->container), m->container_evidence));
    line(r, out, _("system"), m->distro_name);
    line(r, out, _("kernel"), with(r->a, m->kernel, m->arch));
    line(r, out, _("processor"), m->cpu.model);
    if (m->cpu.isa_level)
        line(r, out, _("instruction sets"), arena_printf(r->a, "x86-64-v%u, AVX: %s, AVX2: %s, FMA: %s", m->cpu.isa_level, yes_no(m->cpu.has_avx),
                                                         yes_no(m->cpu.has_avx2), yes_no(m->cpu.has_fma)));
    if (m->secure_boot != TRI_UNKNOWN)
        line(r, out, _("Secure Boot"), yes_no(m->secure_boot));
}

static void gpu(const struct report *r, struct buf *out, const struct fact_gpu *g)
{
    const char *cc = g->has_cc ? arena_printf(r->a, _(", compute capability %u.%u"), g->cc / 10, g->cc % 10) : "";
    const char *name = g->name ? g->name : arena_printf(r->a, "10de:%04x", g->device_id);
    line(r, out, g->pci ? g->pci : "GPU", arena_printf(r->a, _("%s%s, kernel driver: %s"), name, cc, g->driver ? g->driver : _("none")));
}

static void driver(const struct report *r, struct buf *out)
{
    const struct fact_driver *d = &r->f->driver;
    title(r, out, _("GPUs and NVIDIA driver"));
    for (size_t i = 0; i < r->f->n_gpus; i++)
        gpu(r, out, &r->f->gpus[i]);
    if (!r->f->n_gpus)
        line(r, out, "GPU", r->f->pci_known == TRI_YES ? _("none on the PCI bus") : _("not known"));
    line(r, out, _("kernel module"), with(r->a, fact_kmod_kind_id(d->kmod), d->kmod_version));
    line(r, out, _("driver version"), with(r->a, d->version, d->version_source));
    line(r, out, "libcuda.so.1", with(r->a, d->libcuda ? d->libcuda : _("not found"), d->libcuda_version));
    line(r, out, "libnvidia-ml.so.1", with(r->a, d->nvml ? d->nvml : _("not found"), d->nvml_version));
    for (size_t i = 0; i < d->n_nodes; i++) {
        const struct fact_node *n = &d->nodes[i];
        line(r, out, i ? "" : _("device nodes"), arena_printf(r->a, _("%s, mode %04o, usable: %s"), n->path, n->mode, yes_no(n->usable)));
    }
}

static void python(const struct report *r, struct buf *out)
{
    const struct fact_python *p = &r->f->python;
    title(r, out, "Python");
    line(r, out, _("interpreter"), with(r->a, p->exe, str_eq(p->exe, p->real) ? NULL : p->real));
    line(r, out, _("version"), with(r->a, p->version, p->soabi));
    for (size_t i = 0; i < r->f->n_commands; i++) {
        const struct fact_command *c = &r->f->commands[i];
        if (c->kind != FACT_CMD_KIND_MISSING)
            line(r, out, arena_printf(r->a, _("command %s"), c->name), with(r->a, c->path, c->set_in ? c->set_in : c->target));
    }
    for (size_t i = 0; i < p->n_sys_path; i++)
        line(r, out, i ? "" : "sys.path", with(r->a, p->sys_path[i].dir, p->sys_path[i].exists ? NULL : _("does not exist")));
    line(r, out, "LD_LIBRARY_PATH", with(r->a, r->f->ld_library_path, r->f->ld_library_path_from));
    line(r, out, "LD_PRELOAD", r->f->ld_preload);
    line(r, out, "CUDA_VISIBLE_DEVICES", r->f->cuda_visible_devices);
}

static void abi(const struct report *r, struct buf *out, const struct fact_abi *b)
{
    if (b->glibc_need)
        line(r, out, "glibc", arena_printf(r->a, _("needs %s, has %s"), b->glibc_need, b->glibc_have ? b->glibc_have : _("not known")));
    if (b->glibcxx_need)
        line(r, out, "libstdc++", with(r->a, arena_printf(r->a, _("needs %s, has %s"), b->glibcxx_need,
                                                          b->glibcxx_have ? b->glibcxx_have : _("not known")), short_path(r, b->libstdcxx)));
}

static void modules(const struct report *r, struct buf *out, const struct fact_tensorflow *t)
{
    if (!t->n_modules)
        return;
    const struct fact_module_load *last = &t->modules[t->n_modules - 1];
    if (last->outcome == FACT_OUTCOME_FOUND)
        line(r, out, _("extension modules"), arena_printf(r->a, _("%zu files of the import load"), t->n_modules));
    else
        line(r, out, _("extension modules"), with(r->a, short_path(r, last->path), last->message ? last->message : fact_outcome_id(last->outcome)));
}

static void tensorflow(const struct report *r, struct buf *out)
{
    const struct fact_tensorflow *t = &r->f->tensorflow;
    if (t->state != FACT_PRESENT)
        return;
    title(r, out, "TensorFlow");
    line(r, out, _("package"), t->dist ? arena_printf(r->a, "%s %s", t->dist, t->version ? t->version : "") : t->version);
    for (size_t i = 0; i < t->n_other_dists; i++)
        line(r, out, _("also installed"), t->other_dists[i]);
    if (t->build.cuda_version)
        line(r, out, _("built for"), arena_printf(r->a, "CUDA %s, cuDNN %s", t->build.cuda_version, t->build.cudnn_version ? t->build.cudnn_version : "?"));
    line(r, out, _("opens libraries"), with(r->a, short_path(r, t->caller), fact_needs_source_id(t->needs_source)));
    line(r, out, _("sources disagree"), t->needs_conflict);
    abi(r, out, &t->abi);
    modules(r, out, t);
    if (t->record_checked)
        line(r, out, _("installed files"), arena_printf(r->a, _("%u compared with the package's list, %zu differ"), t->record_checked, t->n_tampered));
    if (t->python_listed > t->python_checked)
        line(r, out, _("not compared"), arena_printf(r->a, _("%u of TensorFlow's %u Python files; tfgpu check --deep compares all, contents included"),
                                                     t->python_listed - t->python_checked, t->python_listed));
    line(r, out, "ptxas", with(r->a, short_path(r, t->xla.ptxas), t->xla.ptxas_version));
    line(r, out, "libdevice", short_path(r, t->xla.libdevice));
    for (size_t i = 0; i < t->n_requirements; i++) {
        const struct fact_requirement *q = &t->requirements[i];
        if (q->met == TRI_NO)
            line(r, out, _("requirement"), arena_printf(r->a, _("%s %s, installed: %s"), q->name, q->spec ? q->spec : "", q->installed ? q->installed : _("none")));
    }
}

static const char *sm_list(struct arena *a, const uint32_t *list, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(a, "%s%s%u.%u", text, i ? " " : "", list[i] / 10, list[i] % 10);
    return text;
}

static void gpu_code(const struct report *r, struct buf *out)
{
    const struct fact_tensorflow *t = &r->f->tensorflow;
    if (!t->n_archs)
        return;
    title(r, out, _("GPU code (compute capabilities)"));
    for (size_t i = 0; i < t->n_archs; i++) {
        const struct fact_arch_set *s = &t->archs[i];
        const char *name = s->soname ? s->soname : s->path ? path_base(s->path) : "?";
        buf_adds(out, "  ");
        wrap_text(out, s->n_ptx ? arena_printf(r->a, _("%s: %s; PTX %s"), name, sm_list(r->a, s->sass, s->n_sass), sm_list(r->a, s->ptx, s->n_ptx))
                                : arena_printf(r->a, _("%s: %s"), name, sm_list(r->a, s->sass, s->n_sass)), 2, 6, r->term->width);
        buf_addc(out, '\n');
    }
}

void facts_text(const struct report *r, struct buf *out)
{
    machine(r, out);
    driver(r, out);
    gpus_text(r, out);
    python(r, out);
    tensorflow(r, out);
    gpu_code(r, out);
    libraries_text(r, out);
}
