/* SPDX-License-Identifier: Apache-2.0 */
/* judge_priv - what the files of the judge share; rules do not include it. */
#ifndef TG_RULES_JUDGE_PRIV_H
#define TG_RULES_JUDGE_PRIV_H
#include "rules/judge.h"

/* Fill j->prediction from the ordered findings, the layers and the facts. */
void judge_predict(struct judgement *j, const struct facts *f);
/* Status and summary of layer 6, and j->proof, from the ordered findings and the facts. */
void judge_settle_proof(struct judge *g);
/* What there is on layers 1..4, for a layer that is ok and whose rules gave no summary of their own. Never NULL. */
const char *judge_default_summary(struct arena *a, const struct facts *f, unsigned layer);
/* Layer 7 of a machine with several GPUs: what links them, and how many replicas a strategy over all of them would make (0: not known). */
const char *topology_summary(struct arena *a, const struct facts *f, unsigned replicas);
#endif
