/* SPDX-License-Identifier: Apache-2.0 */
/* double - what the two driver doubles share: a script that says what the pretended driver answers, and where it fails.
 *
 * Test doubles, not NVIDIA's driver: they are built for tests only, never installed, and compute nothing. Format of the
 * script: README.md beside this file. Each library numbers the calls made to it from 1 in each process; 0 is its loading. */
#ifndef TG_FAKES_DOUBLE_H
#define TG_FAKES_DOUBLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define DOUBLE_NOTICE "test double of tfgpu, not NVIDIA's driver"

enum { DOUBLE_ANY = -1 }; /* device: none in particular */
enum { DOUBLE_MAX_DEVICES = 64 };

/* The library's name in the script and in the log: "cuda" or "nvml". Defined by each library. */
extern const char double_library[];
/* Result of a call on a device that the script has lost. Defined by each library. */
extern const int double_code_lost;

/* Value of a key: that of the device ("1.name"), else of all ("name"), else `other`. Text lives as long as the process. */
const char *double_text(int device, const char *key, const char *other);
uint64_t double_number(int device, const char *key, uint64_t other);
/* A pair of numbers written 8.9, 4x16 or 4 16. */
void double_pair(int device, const char *key, unsigned other_a, unsigned other_b, unsigned ret[2]);
/* The i-th word of a list separated by blanks or commas, copied into `ret`. false: there are fewer. */
bool double_word(int device, const char *key, unsigned i, char *ret, size_t size);

/* Start of every exported function: counts and logs the call and plays the script's fault. Returns the code that the function
 * has to return, 0: go on. May not return at all. `device`: physical number or DOUBLE_ANY. */
int double_call(const char *function, int device);
/* Number of the decimal digits at s; *end behind them. */
uint64_t double_digits(const char *s, const char **end);

unsigned double_devices(void);                              /* physical devices, in the order of the PCI bus */
const char *double_uuid(int device, char ret[64]);
const char *double_mig_uuid(int device, unsigned mig, char ret[64]);
unsigned double_migs(int device);                           /* MIG instances; 0 also where MIG is off */
bool double_mig_on(int device);
void double_pci(int device, unsigned ret[4]);               /* domain, bus, device, function */
void double_copy(char *dst, size_t size, const char *src);  /* cut to size, terminated */
#endif
