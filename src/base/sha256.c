/* SPDX-License-Identifier: Apache-2.0 */
/* sha256 - SHA-256 of bytes that come piecewise. */
#include "base/sha256.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const unsigned char *p)
{
    for (unsigned i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (unsigned i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void block(struct sha256 *s, const unsigned char *p)
{
    uint32_t w[64], v[8];
    schedule(w, p);
    memcpy(v, s->h, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25), ch = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + ch + K[i] + w[i];
        uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22), maj = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
        v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + maj;
    }
    for (unsigned i = 0; i < 8; i++)
        s->h[i] += v[i];
}

void sha256_init(struct sha256 *s)
{
    *s = (struct sha256){.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
    const unsigned char *p = data;
    size_t have = s->len % 64;
    s->len += n;
    if (have) {
        size_t k = n < 64 - have ? n : 64 - have;
        memcpy(s->block + have, p, k);
        p += k, n -= k;
        if (have + k < 64)
            return;
        block(s, s->block);
    }
    for (; n >= 64; p += 64, n -= 64)
        block(s, p);
    if (n)
        memcpy(s->block, p, n);
}

void sha256_done(struct sha256 *s, unsigned char ret[32])
{
    static const unsigned char pad[64] = {0x80};
    unsigned char bits[8];
    for (unsigned i = 0; i < 8; i++)
        bits[i] = (unsigned char)(s->len * 8 >> (56 - 8 * i));
    size_t have = s->len % 64;
    sha256_add(s, pad, have < 56 ? 56 - have : 120 - have);
    sha256_add(s, bits, 8);
    for (unsigned i = 0; i < 32; i++)
        ret[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_text(const unsigned char d[32], char ret[44])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (unsigned i = 0; i < 43; i++) {
        unsigned bit = i * 6, byte = bit / 8, two = (unsigned)d[byte] << 8 | (byte < 31 ? d[byte + 1] : 0u);
        ret[i] = digits[two >> (10 - bit % 8) & 63];
    }
    ret[43] = '\0';
}

void sha256_hex(const unsigned char d[32], char ret[65])
{
    for (unsigned i = 0; i < 64; i++)
        ret[i] = "0123456789abcdef"[d[i / 2] >> (4 - i % 2 * 4) & 15];
    ret[64] = '\0';
}

const char *sha256_of(struct arena *a, const void *p, size_t n)
{
    struct sha256 s;
    unsigned char digest[32];
    char *hex = arena_alloc(a, 65);
    sha256_init(&s);
    sha256_add(&s, p, n);
    sha256_done(&s, digest);
    sha256_hex(digest, hex);
    return hex;
}

int sha256_fd(int fd, char ret[65])
{
    char chunk[64 * 1024];
    struct sha256 s;
    unsigned char digest[32];
    ssize_t n;
    sha256_init(&s);
    while ((n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0)
            sha256_add(&s, chunk, (size_t)n);
    }
    sha256_done(&s, digest);
    sha256_hex(digest, ret);
    return 0;
}
