/* SPDX-License-Identifier: Apache-2.0 */
/* keras_config - Keras' settings, which are read while TensorFlow is imported: by TensorFlow's own old copy of Keras, and by the installed
 * Keras, whose import TensorFlow tries and survives when it ends with an ImportError or an AttributeError, but with nothing else. */
#include <errno.h>
#include <string.h>
#include "formats/kerasjson.h"
#include "probe/probe.h"

enum { JSON_MAX = 1 << 20, SOURCE_MAX = 1 << 18, READ = 4, WRITE = 2 };

struct keras {
    const char *dir;     /* folder keras/; NULL: TensorFlow does not import it */
    const char *backend; /* backend/__init__.py of one that has several; NULL: an old one, or none */
    const char *config;  /* backend/config.py */
    bool asked;
};

static bool is_there(struct probe *p, const char *path)
{
    struct root_stat st;
    return root_stat(p->root, path, &st) == 0;
}

static bool is_imported(struct probe *p)
{
    const struct fact_tensorflow *t = &p->f->tensorflow;
    const char *legacy = probe_variable(p, "TF_USE_LEGACY_KERAS");
    for (size_t i = 0; i < t->n_shadows; i++)
        if (str_eq(t->shadows[i].module, "keras"))
            return false;
    return !str_eq(legacy, "1") && !str_eq(legacy, "true") && !str_eq(legacy, "True");
}

/* The installed Keras. Its files are looked for only where a setting is out of the ordinary. */
static const struct keras *installed(struct probe *p, struct keras *k)
{
    if (k->asked)
        return k;
    *k = (struct keras){.asked = true};
    const char *site = path_dir(p->a, p->f->tensorflow.package_dir);
    for (size_t i = 0; i < p->f->n_packages; i++)
        if (str_eq(p->f->packages[i].name, "keras") && p->f->packages[i].dir && !p->f->packages[i].shadowed_by)
            site = p->f->packages[i].dir;
    const char *dir = path_join(p->a, site, "keras/src");
    const char *config = path_join(p->a, dir, "backend/config.py");
    if (!is_imported(p) || !is_there(p, dir))
        return k;
    k->dir = path_join(p->a, site, "keras");
    if (is_there(p, config)) {
        k->config = config;
        k->backend = path_join(p->a, dir, "backend/__init__.py");
    }
    return k;
}

static bool reads_old_copy(struct probe *p)
{
    return is_there(p, path_join(p->a, p->f->tensorflow.package_dir, "python/keras/backend.py"));
}

/* Does the Python file hold this text? UNKNOWN: it cannot be read. */
static enum tri holds(struct probe *p, const char *path, const char *text)
{
    struct arena tmp;
    const char *s;
    size_t n;
    arena_init(&tmp, 0);
    int rc = root_read(p->root, path, SOURCE_MAX, &tmp, &s, &n);
    enum tri ret = rc < 0 ? TRI_UNKNOWN : memmem(s, n, text, strlen(text)) ? TRI_YES : TRI_NO;
    arena_done(&tmp);
    return ret;
}

static void refuse(struct probe *p, struct fact_keras_config c)
{
    struct fact_keras_config *r = &p->f->tensorflow.keras_config;
    if (!r->key || (r->unclear && !c.unclear))
        *r = c;
}

/* As Python's int() takes it: blanks around, a sign, single underscores between digits. Other scripts' digits are not known here. */
static bool is_int(const char *s)
{
    s += strspn(s, " \t\r\n\v\f");
    s += *s == '+' || *s == '-';
    bool digit = false;
    for (; (*s >= '0' && *s <= '9') || (*s == '_' && digit); s++)
        digit = *s != '_';
    return digit && !s[strspn(s, " \t\r\n\v\f")];
}

static void check_numbers(struct probe *p, struct keras *k)
{
    static const char *const names[] = {"KERAS_MAX_EPOCHS", "KERAS_MAX_STEPS_PER_EPOCH"};
    for (size_t i = 0; i < TG_COUNT(names); i++) {
        const char *v = probe_variable(p, names[i]);
        if (!v || is_int(v) || !installed(p, k)->config)
            continue;
        enum tri read = holds(p, k->config, arena_printf(p->a, "int(os.environ[\"%s\"])", names[i]));
        if (read != TRI_NO)
            refuse(p, (struct fact_keras_config){.variable = names[i], .key = "number", .value = v, .unclear = read == TRI_UNKNOWN});
    }
}

/* One that is known but not installed ends in an ImportError, which TensorFlow survives. */
static void check_backend(struct probe *p, struct keras *k, const char *path, const char *in_file)
{
    const char *set = probe_variable(p, "KERAS_BACKEND");
    bool by_variable = set && *set;
    const char *name = by_variable ? set : in_file;
    if (!name || str_eq(name, "tensorflow") || !installed(p, k)->backend)
        return;
    enum tri known = strpbrk(name, "\"\\\n") ? TRI_NO : holds(p, k->backend, arena_printf(p->a, "backend() == \"%s\"", name));
    if (known != TRI_YES)
        refuse(p, (struct fact_keras_config){.variable = by_variable ? "KERAS_BACKEND" : NULL, .path = by_variable ? NULL : path, .key = "backend",
                                             .value = name, .unclear = known == TRI_UNKNOWN});
}

/* One keras.json. `own`: TensorFlow's copy reads it; `new_one`: so does the installed Keras. Returns the backend that it names, or NULL. */
static const char *check_file(struct probe *p, struct keras *k, const char *path, bool own, bool new_one)
{
    const char *text;
    size_t n;
    struct kerasjson j = {0};
    struct fact_keras_config c = {.path = path};
    int rc = root_read(p->root, path, JSON_MAX, p->a, &text, &n);
    if (rc == -ENOENT || rc == -ENOTDIR || (rc < 0 && !is_there(p, path)))
        return NULL;
    if (rc < 0) {
        c.key = "unreadable";
        c.value = strerror(-rc);
        c.unclear = rc != -EACCES && rc != -EPERM && rc != -EISDIR;
    } else {
        kerasjson_read(text, n, p->a, &j);
        c.key = j.key && !*j.key ? "document" : j.key;
        c.value = j.value;
        c.number = j.number;
    }
    bool ends = c.key && own && reads_old_copy(p);
    ends = ends || (c.key && new_one && installed(p, k)->dir && !str_eq(c.key, "document"));
    if (ends)
        refuse(p, c);
    return j.backend;
}

/* os.path.expanduser; NULL: another user's home, which is not looked up. */
static const char *expand(struct probe *p, const char *dir)
{
    const char *home = root_home(p->root);
    if (*dir != '~')
        return dir;
    return home && (!dir[1] || dir[1] == '/') ? path_join(p->a, home, dir[1] ? dir + 2 : ".") : NULL;
}

void probe_keras_config(struct probe *p)
{
    struct keras k = {0};
    const char *home = root_home(p->root), *set = probe_variable(p, "KERAS_HOME"), *backend = NULL, *path = NULL;
    if (!p->f->tensorflow.package_dir)
        return;
    const char *dir = set ? expand(p, set) : home ? path_join(p->a, home, ".keras") : NULL;
    /* Keras itself turns away from a home that it may not write to. */
    bool apart = !set && (!home || root_access(p->root, home, WRITE) < 0) && root_is_live(p->root);
    if (dir) {
        path = *dir ? path_join(p->a, dir, "keras.json") : "keras.json";
        backend = check_file(p, &k, path, true, !apart);
    }
    if (apart) {
        path = "/tmp/.keras/keras.json";
        backend = check_file(p, &k, path, false, true);
    }
    check_backend(p, &k, path, backend);
    check_numbers(p, &k);
}
