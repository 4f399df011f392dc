/* SPDX-License-Identifier: Apache-2.0 */
/* fatbin - which GPU code a library carries: walks the CUDA fat binaries of an ELF file without reading their payload.
 *
 * Section .nv_fatbin holds containers one after the other (magic 0xBA55ED50, 8-byte aligned); a container holds entries:
 * machine code (SASS) for one SM number or PTX for one compute number. __nv_relfatbin holds code that is still to be
 * linked; what came of it lies in .nv_fatbin again, so it is not counted (cuobjdump does not list it either).
 * .nvFatBinSegment holds one 24-byte wrapper a container, by which one can jump into the middle.
 * Layout and measurements: docs/formats/fatbin.md. The parser knows nothing of which GPU runs what.
 */
#ifndef TG_FORMATS_FATBIN_H
#define TG_FORMATS_FATBIN_H
#include <stdbool.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/bytesrc.h"
#include "base/err.h"
#include "formats/elf.h"

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_SASS = 2 }; /* the file's own numbers; others are ignored */

struct fatbin_arch {
    uint16_t sm;                     /* 90 for sm_90 or compute_90 */
    uint8_t kind;                    /* enum fatbin_kind */
    char variant;                    /* 0 plain; 'a' only this very chip; 'f' its family */
    uint16_t isa_major, isa_minor;   /* PTX: the highest ISA version seen (8.3 = CUDA 12.3 …) */
    uint32_t count;                  /* entries */
};

/* How much is read. A library whose containers differ (cuBLASLt: 3,015 of 32 shapes) is answered exactly only by the full
 * walk; the sample reads containers spread evenly over the section and stops when four in a row brought nothing new. */
struct fatbin_opts {
    bool full;
    bool until_ptx;     /* a sample that ends with the first container that has PTX: for the ISA version only */
    uint32_t max_reads; /* of the sample; 0: FATBIN_SAMPLE_READS. A container once begun is read to its end. */
};
enum { FATBIN_SAMPLE_READS = 48 };

struct fatbin {
    bool has_code;                   /* there is a non-empty .nv_fatbin */
    bool has_rel;                    /* there is a __nv_relfatbin */
    bool complete;                   /* every container was read: what `archs` lacks is not there */
    struct fatbin_arch *archs;       /* by kind, sm, variant */
    size_t n_archs;
    uint32_t containers;             /* in the section; in a sample as many as wrappers point into it; 0: a sample that could not tell */
    uint32_t containers_read;
    uint32_t entries;                /* of the containers read */
    uint32_t reads;                  /* from the source, without those for the section headers */
    uint64_t bad_off;                /* file offset of the first container or entry that makes no sense; 0: none */
};

/* fatbin_read - the GPU code of one library.
 *
 * f:      of the same source (elf_read)
 * ret:    arrays in `a`; a library without GPU code gives has_code false and 0
 * errors: those of the source (-EIO, -ENODATA: a capture lacks a range). Damage inside is not an error: the walk stops
 *         there, complete is false and bad_off says where.
 * cost:   full: one read an entry (1,494 for a 234 MB section, 0.4 ms warm); sample: at most about max_reads
 */
int fatbin_read(const struct bytesrc *s, const struct elf *f, const struct fatbin_opts *o, struct arena *a,
                struct fatbin *ret, struct err *e);

/* The same over a plain range of bytes that is known to hold containers; always full. */
int fatbin_scan(const struct bytesrc *s, uint64_t off, uint64_t size, struct arena *a, struct fatbin *ret, struct err *e);

/* Does it list code of this kind for exactly this number (any variant)? */
bool fatbin_has(const struct fatbin *f, enum fatbin_kind kind, uint16_t sm);
#endif
