/* SPDX-License-Identifier: Apache-2.0 */
/* machine_state - how far a machine gets on the way from the GPU to a driver that runs: one answer, decided in one place. Pure. */
#ifndef TG_RULES_MACHINE_STATE_H
#define TG_RULES_MACHINE_STATE_H
#include <stdbool.h>
#include "rules/judge.h"

/* In causal order: the first that holds. */
enum machine_state {
    STATE_UNKNOWN,           /* the files do not say */
    STATE_WSL1,
    STATE_WSL_GPU_OFF,       /* a setting switches it off */
    STATE_WSL_OWN_KERNEL,    /* self-built kernel, no /dev/dxg */
    STATE_WSL_NO_DXG,        /* WSL's own kernel, no /dev/dxg */
    STATE_WSL_NO_LIBS,       /* /dev/dxg, but no libcuda from Windows */
    STATE_NO_GPU,
    STATE_CONTAINER_NO_GPU,  /* the host has GPU and driver, the container was not given them */
    STATE_VFIO,
    STATE_NOUVEAU,           /* nouveau or nova holds the GPU */
    STATE_NOT_INSTALLED,
    STATE_DKMS_FAILED,
    STATE_NO_MODULE,         /* installed, but no module for the running kernel */
    STATE_SECURE_BOOT,
    STATE_BLACKLISTED,
    STATE_NOT_LOADED,
    STATE_UP,                /* the driver runs; the rules of driver.c look further */
};
enum machine_state machine_state(const struct facts *f);
/* What is not known, for STATE_UNKNOWN; translated. */
const char *machine_unknown_why(const struct facts *f);

bool machine_is_wsl2(const struct facts *f);
bool machine_in_container(const struct facts *f);
/* GPUs that are whole devices: virtual functions are the hypervisor's business. */
size_t machine_gpus(const struct facts *f);
const struct fact_gpu *machine_first_gpu(const struct facts *f); /* NULL */
const char *machine_gpu_name(const struct fact_gpu *g);           /* never NULL */

/* /dev/nvidia0, /dev/nvidia1 …; usable TRI_UNKNOWN: all of them. */
size_t machine_gpu_nodes(const struct facts *f, enum tri usable);
/* NVIDIA_VISIBLE_DEVICES of a container names no GPU. */
bool machine_container_asked_for_none(const struct facts *f);

/* Copies of a driver library. */
const struct fact_driver_lib *machine_lib_on_path(const struct facts *f, const char *soname);
/* A copy that is a real driver library: no stub, no damaged file. */
const struct fact_driver_lib *machine_lib_real(const struct facts *f, const char *soname);
#endif
