/* SPDX-License-Identifier: Apache-2.0 */
/* pysource - a file of Python source: which modules it imports, and whether there is something in it that Python is sure to refuse. It is no
 * parser: what is called faulty fails to compile, what is not called so may fail all the same.
 * Source: the Python language reference, "Lexical analysis", "Full grammar specification". Compared with real interpreters by
 * tests/truth/run-pysource. */
#ifndef TG_FORMATS_PYSOURCE_H
#define TG_FORMATS_PYSOURCE_H
#include <stdint.h>
#include "base/util.h"

enum pysource_fault {
    PYSOURCE_OK,
    PYSOURCE_NUL,        /* a NUL byte */
    PYSOURCE_ENCODING,   /* bytes that are not UTF-8, and no other encoding declared */
    PYSOURCE_STRING,     /* a string that does not end */
    PYSOURCE_BRACKET,    /* a bracket that nothing closes or opens */
    PYSOURCE_INDENT,     /* indentation that fits no block */
    PYSOURCE_CHARACTER,  /* a character that begins nothing in Python */
    PYSOURCE_SYNTAX,     /* words or operators in a row that no statement has */
};

/* One name of an import statement: `import a.b` has no name, `from a import b, c` is two, `from ..x import y` has level 2. */
struct pysource_import {
    struct str module, name; /* name.n 0: none; "*" is a name */
    struct str bound;        /* what the file calls the module or name; n 0 for `import a.b`, which binds a */
    unsigned level;
    bool sure;               /* runs whenever the file does: in no function and under no condition. false also: a text that looks like a module's
                              * dotted name */
};

/* `name.attr` at the top of the file, in code that runs whenever the file does. */
struct pysource_use {
    struct str name, attr;
    bool sets;               /* it is given a value here */
};

struct pysource {
    enum pysource_fault fault;
    uint32_t line; /* of the fault, from 1 */
    struct pysource_import *imports; size_t n_imports;
    struct pysource_use *uses; size_t n_uses;
};

/* ret:  slices point into `text`, of a module's name with gaps into `a`; with a fault, the imports and uses before it
 * cost: O(n), one pass; an import takes 64 bytes of `a`, a use 40 */
void pysource_read(struct str text, struct arena *a, struct pysource *ret);

/* May a module of this text have an attribute of this name once it was imported? false: sure not (the name is nowhere in the text, and
 * nothing in it could make names without naming them). cost: O(n) */
bool pysource_may_have(struct str text, struct str name);

/* What a raise statement at the top of the file, in no block, raises: "RuntimeError" of `raise RuntimeError("x")`; n 0 where that is no plain
 * name. false: there is none. Whoever imports the file gets it, unless something before it fails. cost: O(n), one pass */
bool pysource_raises(struct str text, struct str *ret);

/* What `import a, b` in a file names. Slices point into its text. */
struct pysource_modules { struct str *names; size_t n_names; };
/* Does the file hold nothing but texts, `import module`, and names that get literals, or what such modules make of literals? Then it loads
 * if those modules do. cost: O(n), two passes; a name takes 32 bytes of `a` */
bool pysource_is_plain(struct str text, struct arena *a, struct pysource_modules *ret);
#endif
