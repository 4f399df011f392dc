/* SPDX-License-Identifier: Apache-2.0 */
/* i18n - gettext messages from catalogues that are compiled into the binary (po/<lang>.po), so that it stays one file. */
#ifndef TG_BASE_I18N_H
#define TG_BASE_I18N_H
#include <stddef.h>

/* Choose the language from LC_ALL, LC_MESSAGES, LANG, LANGUAGE (gettext's order) or from `force` when not NULL.
 * Unknown languages give English. Simplified Chinese: zh, zh_CN, zh_SG, zh_Hans. */
void i18n_init(const char *force);
const char *i18n_lang(void);                 /* "en" or "zh_CN" */
const char *i18n_get(const char *msgid) __attribute__((format_arg(1))); /* the translation, or msgid itself */
const char *i18n_nget(const char *one, const char *many, unsigned long n) __attribute__((format_arg(1), format_arg(2)));
/* Columns that UTF-8 text takes on a terminal (wide East Asian characters count 2). */
size_t i18n_width(const char *s);

#define _(s) i18n_get(s)
#define N_(s) (s) /* mark for extraction only */
#endif
