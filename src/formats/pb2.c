/* SPDX-License-Identifier: Apache-2.0 */
/* pb2 - the head of a Python file that protoc generated. */
#include "formats/pb2.h"
#include <string.h>
#include "base/util.h"

static const char *find(const char *text, size_t len, const char *what)
{
    return len ? memmem(text, len, what, strlen(what)) : NULL;
}

/* The numbers among the arguments: "    _runtime_version.Domain.PUBLIC,\n    5,\n    28,\n    3,\n". */
static bool take_version(const char *p, const char *end, uint32_t v[3])
{
    unsigned n = 0;
    const char *comma = memchr(p, ',', (size_t)(end - p)); /* behind the domain */
    while (comma && n < 3) {
        struct str s = {comma + 1, (size_t)(end - comma - 1)};
        while (s.n && (*s.p == ' ' || *s.p == '\n' || *s.p == '\r' || *s.p == '\t'))
            s.p++, s.n--;
        size_t digits = 0;
        uint64_t u;
        while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
            digits++;
        if (str_to_u64(s.p, digits, 10, &u) < 0 || u > UINT32_MAX)
            return false;
        v[n++] = (uint32_t)u;
        comma = digits < s.n && s.p[digits] == ',' ? s.p + digits : NULL;
    }
    return n == 3;
}

struct pb2 pb2_parse(const char *text, size_t len)
{
    struct pb2 r = {0};
    static const char call[] = "ValidateProtobufRuntimeVersion(";
    if (!find(text, len, "google.protobuf"))
        return r;
    r.needs_builder = find(text, len, "google.protobuf.internal import builder") != NULL;
    const char *at = find(text, len, call);
    if (at && take_version(at + sizeof call - 1, text + len, r.version))
        r.style = PB2_VERSIONED;
    else if (find(text, len, "_descriptor.FileDescriptor(") || find(text, len, "_descriptor.EnumDescriptor(") || find(text, len, "_descriptor.Descriptor("))
        r.style = PB2_DESCRIPTORS;
    else if (r.needs_builder || find(text, len, "AddSerializedFile("))
        r.style = PB2_BUILDER;
    return r;
}
