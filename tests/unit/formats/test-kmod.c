/* SPDX-License-Identifier: Apache-2.0 */
/* modules.dep.bin as depmod 30 wrote it (tests/fuzz/corpus/kmodidx/depmod-30.bin: depmod -b over a few module files), and .modinfo. */
#include "tap.h"
#include <elf.h>
#include <errno.h>
#include "formats/kmodidx.h"
#include "formats/modinfo.h"

static struct arena a;
static unsigned char idx[4096];
static size_t idx_n;

static int find(const char *key, const char **ret)
{
    struct memsrc m = {idx, idx_n};
    struct bytesrc s = bytesrc_mem(&m);
    *ret = NULL;
    return kmodidx_find(&s, key, &a, ret, NULL);
}

static void index_of_depmod(const char *dir)
{
    const char *v;
    FILE *f = fopen(arena_printf(&a, "%s/../fuzz/corpus/kmodidx/depmod-30.bin", dir), "rb");
    if (!ok(f != NULL, "the index is there"))
        return;
    idx_n = fread(idx, 1, sizeof idx, f);
    fclose(f);
    ok(find("nvidia", &v) == 1, "nvidia is found");
    ok_str(v, "updates/dkms/nvidia.ko:", "nvidia's file");
    ok(find("nvidia_uvm", &v) == 1 && strcmp(v, "updates/dkms/nvidia-uvm.ko:") == 0, "nvidia_uvm's file");
    ok(find("nvidiafb", &v) == 1 && strcmp(v, "kernel/drivers/video/fbdev/nvidia/nvidiafb.ko:") == 0, "nvidiafb's file");
    ok(find("e1000", &v) == 1 && find("crc16", &v) == 1 && find("nvme_core", &v) == 1, "others are found");
    ok(find("nvidi", &v) == 0 && find("nvidiaz", &v) == 0 && find("", &v) == 0 && find("zzz", &v) == 0, "others are not");
    unsigned char magic = idx[0];
    idx[0] = 0;
    ok(find("nvidia", &v) == -EBADMSG, "wrong magic");
    idx[0] = magic;
    unsigned char root[4];
    memcpy(root, idx + 8, 4);
    memcpy(idx + 8, "\x8f\xff\xff\xff", 4);
    ok(find("nvidia", &v) == -EBADMSG, "root beyond the end");
    memcpy(idx + 8, root, 4);
    size_t n = idx_n;
    for (idx_n = 0; idx_n < n; idx_n++)
        if (find("nvidia", &v) == 1 && strcmp(v, "updates/dkms/nvidia.ko:") != 0)
            break;
    ok(idx_n == n, "a cut index never gives another answer");
}

/* Header, .modinfo, names, section headers. */
static size_t module(unsigned char *p, const char *info, size_t info_n)
{
    static const char names[] = "\0.modinfo\0.shstrtab";
    Elf64_Ehdr h = {.e_type = ET_REL, .e_machine = EM_X86_64, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 2};
    Elf64_Shdr sh[3] = {{0}, {.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = 64, .sh_size = info_n},
                        {.sh_name = 10, .sh_type = SHT_STRTAB, .sh_offset = 64 + info_n, .sh_size = sizeof names}};
    memcpy(h.e_ident, ELFMAG "\2\1\1", 7);
    h.e_shoff = 64 + info_n + sizeof names;
    memcpy(p, &h, sizeof h);
    memcpy(p + 64, info, info_n);
    memcpy(p + 64 + info_n, names, sizeof names);
    memcpy(p + h.e_shoff, sh, sizeof sh);
    return h.e_shoff + sizeof sh;
}

static void module_info(void)
{
    static const char info[] = "version=535.104.05\0supported=external\0license=NVIDIA\0vermagic=6.8.0-45-generic SMP mod_unload ";
    static const char mark[] = "~Module signature appended~\n";
    unsigned char p[1024];
    struct modinfo m;
    size_t n = module(p, info, sizeof info);
    struct memsrc ms = {p, n};
    struct bytesrc s = bytesrc_mem(&ms);
    ok(modinfo_read(&s, &a, &m, NULL) == 0, "a module");
    ok_str(m.version, "535.104.05", "version");
    ok_str(m.license, "NVIDIA", "license");
    ok(m.vermagic && !strncmp(m.vermagic, "6.8.0-45-generic ", 17), "kernel");
    ok(!m.is_signed, "no signature");
    memcpy(p + n, mark, sizeof mark - 1);
    ms.len = n + sizeof mark - 1;
    s = bytesrc_mem(&ms);
    ok(modinfo_read(&s, &a, &m, NULL) == 0 && m.is_signed, "signature");
    ms.len = n - 1;
    s = bytesrc_mem(&ms);
    ok(modinfo_read(&s, &a, &m, NULL) == -EBADMSG, "cut section headers");
    ms = (struct memsrc){(const unsigned char *)"\x28\xb5\x2f\xfd compressed, and long enough for a header of 64 bytes ........", 72};
    s = bytesrc_mem(&ms);
    ok(modinfo_read(&s, &a, &m, NULL) == -EBADMSG, "a compressed module");
    ok_str(modinfo_get("xversion=1\0version=2", 21, "version", &a), "2", "whole names only");
    ok_str(modinfo_get("version=2", 9, "version", &a), NULL, "a string without its end does not count");
}

int main(int argc, char **argv)
{
    arena_init(&a, 0);
    index_of_depmod(argc > 1 ? argv[1] : ".");
    module_info();
    arena_done(&a);
    return tap_done();
}
