/* SPDX-License-Identifier: Apache-2.0 */
/* sha256 - SHA-256 of bytes that come piecewise. Source: FIPS 180-4. */
#ifndef TG_BASE_SHA256_H
#define TG_BASE_SHA256_H
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"

struct sha256 { uint32_t h[8]; uint64_t len; unsigned char block[64]; };

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *p, size_t n);
void sha256_done(struct sha256 *s, unsigned char ret[32]);
/* URL-safe base64 without padding, as RECORD writes it: 43 characters and a NUL. */
void sha256_text(const unsigned char digest[32], char ret[44]);
/* Lower-case hexadecimal: 64 characters and a NUL. */
void sha256_hex(const unsigned char digest[32], char ret[65]);
/* The same of these bytes, in the arena. */
const char *sha256_of(struct arena *a, const void *p, size_t n);
/* The same of a file from where the descriptor stands to its end. 0 or a negative errno. */
int sha256_fd(int fd, char ret[65]);
#endif
