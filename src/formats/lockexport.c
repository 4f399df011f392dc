/* SPDX-License-Identifier: Apache-2.0 */
/* lockexport - a lock in the languages of other programs. */
#include "formats/lockexport.h"
#include <string.h>
#include "base/json.h"
#include "base/util.h"

#define ENV LOCKEXPORT_HOME "/env"

/* "3.11" of "3.11.2" */
static struct str minor_of(const struct lockfile *l)
{
    return (struct str){l->python, 2 + strcspn(l->python + 2, ".")};
}

static void remark(const struct lockfile *l, struct buf *out, const char *what)
{
    buf_addf(out, "# %s, from a tfgpu.lock of %zu packages.\n", what, l->n_packages);
}

void lockexport_requirements(const struct lockfile *l, struct buf *out)
{
    struct str py = minor_of(l);
    remark(l, out, "Requirements");
    buf_addf(out, "# For Python %.*s: pip install --require-hashes --no-deps --only-binary :all: -r FILE\n", (int)py.n, py.p);
    lockfile_requirements(l, out);
}

void lockexport_environment(const struct lockfile *l, struct buf *out)
{
    struct str py = minor_of(l);
    remark(l, out, "environment.yml");
    buf_adds(out, "# Python and pip come from conda-forge in whatever build it has; all packages come from the package index, with checksums.\n");
    if (l->n_repairs)
        buf_addf(out, "# TensorFlow needs %zu links beside them, which conda cannot make: tfgpu fix.\n", l->n_repairs);
    buf_addf(out, "channels:\n  - conda-forge\n  - nodefaults\ndependencies:\n  - python=%.*s\n  - pip\n  - pip:\n      - \"--require-hashes\"\n      - \"--only-binary :all:\"\n", (int)py.n, py.p);
    for (size_t i = 0; i < l->n_packages; i++) {
        const struct lock_package *k = &l->packages[i];
        buf_addf(out, "      - \"%s==%s", k->name, k->version);
        for (size_t h = 0; h < k->n_sha256; h++)
            buf_addf(out, " --hash=sha256:%s", k->sha256[h]);
        buf_adds(out, "\"\n");
    }
}

void lockexport_dockerfile(const struct lockfile *l, struct buf *out)
{
    struct str py = minor_of(l);
    remark(l, out, "Dockerfile");
    buf_adds(out, "# Beside it: tfgpu lock --export requirements -o requirements.txt\n");
    buf_addf(out, "FROM python:%.*s-slim\n", (int)py.n, py.p);
    if (l->floor.cuda)
        buf_adds(out, "ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility\n");
    buf_adds(out, "COPY requirements.txt " LOCKEXPORT_HOME "/requirements.txt\n"
                  "RUN [\"python3\", \"-m\", \"venv\", \"" ENV "\"]\n"
                  "RUN [\"" ENV "/bin/python\", \"-m\", \"pip\", \"install\", \"--no-cache-dir\", \"--require-hashes\", \"--no-deps\", \"--only-binary\", \":all:\", "
                  "\"-r\", \"" LOCKEXPORT_HOME "/requirements.txt\"]\n");
    for (size_t i = 0; i < l->n_repairs; i++)
        buf_addf(out, "RUN [\"ln\", \"-s\", \"%s\", \"" ENV "/%s\"]\n", l->repairs[i].target, l->repairs[i].path);
    buf_adds(out, "ENV PATH=" ENV "/bin:$PATH\nCMD [\"python\"]\n");
}

void lockexport_compose(const struct lockfile *l, struct buf *out)
{
    remark(l, out, "Compose file");
    buf_adds(out, "services:\n  tensorflow:\n    build: .\n    stdin_open: true\n    tty: true\n");
    if (l->floor.cuda)
        buf_adds(out, "    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n              count: all\n              capabilities: [gpu]\n");
}

void lockexport_devcontainer(const struct lockfile *l, struct buf *out)
{
    struct jw w;
    jw_init(&w, out);
    jw_obj(&w, NULL);
    jw_str(&w, "name", "TensorFlow");
    jw_obj(&w, "build");
    jw_str(&w, "dockerfile", "../Dockerfile");
    jw_str(&w, "context", "..");
    jw_obj_end(&w);
    if (l->floor.cuda) {
        jw_arr(&w, "runArgs");
        jw_str(&w, NULL, "--gpus=all");
        jw_arr_end(&w);
        jw_obj(&w, "hostRequirements");
        jw_bool(&w, "gpu", true);
        jw_obj_end(&w);
    }
    jw_obj(&w, "customizations");
    jw_obj(&w, "vscode");
    jw_obj(&w, "settings");
    jw_str(&w, "python.defaultInterpreterPath", ENV "/bin/python");
    jw_obj_end(&w);
    jw_obj_end(&w);
    jw_obj_end(&w);
    jw_obj_end(&w);
    buf_addc(out, '\n');
}

/* -- the first boot --------------------------------------------------------------------------------------------------------- */

/* Driver packages: Ubuntu Server documentation, "NVIDIA drivers installation". NVSwitches are bridges (PCI class 0680) of NVIDIA; the fabric
 * manager has to be of the driver's own version: NVIDIA Fabric Manager User Guide. */
static const char driver_part[] =
    "\n# The driver: the distribution's own, for servers, where none runs yet.\n"
    "if ! nvidia-smi -L >/dev/null 2>&1; then\n"
    "    apt-get install -y ubuntu-drivers-common \"linux-headers-$(uname -r)\"\n"
    "    ubuntu-drivers install --gpgpu\n"
    "    installed=$(modinfo -F version nvidia)\n"
    "    apt-get install -y \"nvidia-utils-${installed%%.*}-server\"\n"
    "    modprobe nvidia || { echo 'the driver is installed, but its module does not load: reboot (Secure Boot: enrol its key), then run this again' >&2; exit 1; }\n"
    "fi\n"
    "driver=$(cat /sys/module/nvidia/version)\n"
    "if [ \"$(printf '%s\\n' \"$need\" \"$driver\" | sort -V | head -n 1)\" != \"$need\" ]; then\n"
    "    echo \"the driver is $driver; the lock needs $need, or a newer one\" >&2\n"
    "    exit 1\n"
    "fi\n"
    "\n# Boards with NVSwitches compute only once the fabric manager of the driver's own version runs.\n"
    "if [ -n \"$(lspci -n -d 10de::0680)\" ]; then\n"
    "    apt-get install -y \"nvidia-fabricmanager-${driver%%.*}\"\n"
    "    systemctl enable --now nvidia-fabricmanager\n"
    "fi\n";

static void links(const struct lockfile *l, struct buf *out)
{
    if (l->n_repairs)
        buf_adds(out, "\n# Links without which TensorFlow does not find some of its libraries.\n");
    for (size_t i = 0; i < l->n_repairs; i++)
        buf_addf(out, "ln -sfn %s " ENV "/%s\n", l->repairs[i].target, l->repairs[i].path);
}

void lockexport_first_boot(const struct lockfile *l, struct buf *out)
{
    struct str py = minor_of(l);
    bool uv = str_eq(l->engine, "uv") && l->engine_version;
    buf_adds(out, "#!/bin/bash\n");
    remark(l, out, "First boot of an Ubuntu machine");
    buf_adds(out, "# User data for cloud-init, or by hand as root; may be run again.\nset -euo pipefail\nexport DEBIAN_FRONTEND=noninteractive\n");
    if (l->floor.driver_linux)
        buf_addf(out, "need=%s\n", l->floor.driver_linux);
    buf_adds(out, "apt-get update\napt-get install -y python3-venv pciutils\n");
    if (l->floor.cuda && l->floor.driver_linux)
        buf_adds(out, driver_part);
    buf_adds(out, "\n# The packages of the lock; uv gets the Python.\nmkdir -p " LOCKEXPORT_HOME "\ncat >" LOCKEXPORT_HOME "/requirements.txt <<'END-OF-LOCK'\n");
    lockfile_requirements(l, out);
    buf_addf(out, "END-OF-LOCK\npython3 -m venv " LOCKEXPORT_HOME "/uv\n" LOCKEXPORT_HOME "/uv/bin/pip install --quiet uv%s%s\n", uv ? "==" : "", uv ? l->engine_version : "");
    buf_addf(out, "[ -d " ENV " ] || " LOCKEXPORT_HOME "/uv/bin/uv venv --no-project --python %.*s " ENV "\n", (int)py.n, py.p);
    buf_adds(out, LOCKEXPORT_HOME "/uv/bin/uv pip install --python " ENV "/bin/python --require-hashes --no-deps --only-binary :all: -r " LOCKEXPORT_HOME "/requirements.txt\n");
    links(l, out);
    buf_adds(out, "\n" ENV "/bin/python -c 'import tensorflow as tf; print(tf.__version__, tf.config.list_physical_devices())'\n");
}
