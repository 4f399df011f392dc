/* SPDX-License-Identifier: Apache-2.0 */
/* pep440 - versions and version specifiers of Python packages. Format: PEP 440 and the "Version specifiers" page of the
 * Python packaging specifications. Knows nothing of any package. */
#ifndef TG_FORMATS_PEP440_H
#define TG_FORMATS_PEP440_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/util.h"

enum { PEP440_MAX_RELEASE = 16 };
enum pep440_pre { PEP440_PRE_A, PEP440_PRE_B, PEP440_PRE_RC, PEP440_PRE_NONE };

struct pep440 {
    uint64_t epoch;
    uint64_t release[PEP440_MAX_RELEASE];
    size_t n_release; /* as written: 1.0 has two */
    enum pep440_pre pre;
    uint64_t pre_n, post_n, dev_n;
    bool has_post, has_dev;
    struct str local; /* slice of the text that was parsed, which must live as long; n 0 when there is none */
};

/* pep440_parse - read one version, normal form or not ("v1.0-RC.2", "1.0-1"); blanks around it are ignored.
 * errors: -EINVAL not a version; -ERANGE a number beyond 64 bits or more than PEP440_MAX_RELEASE parts
 */
int pep440_parse(const char *s, size_t n, struct pep440 *ret);

/* Total order of versions, local part included: <0, 0, >0. */
int pep440_cmp(const struct pep440 *a, const struct pep440 *b);
bool pep440_is_prerelease(const struct pep440 *v); /* pre-release or development release */

/* pep440_match - is this version inside a comma separated list of specifiers (">=1.26,<2.2", "~=2.20.0", "==1.*")?
 * Pre-releases count like any other version: what is installed is installed. An empty list contains everything.
 * ret: TRI_UNKNOWN when the version or a specifier cannot be understood
 */
enum tri pep440_match(struct str version, struct str specs);
/* One specifier of the list that the version does not satisfy; n 0 when there is none. */
struct str pep440_first_unmet(struct str version, struct str specs);
#endif
