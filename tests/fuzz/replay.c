/* SPDX-License-Identifier: Apache-2.0 */
/* replay - run a fuzz target over the files of its corpus folders; fails when there are none. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *buf = malloc(1 << 20); /* exact size below, so that ASan sees a read past the end */
    if (!f || !buf) {
        free(buf);
        return f ? fclose(f), 0 : 0;
    }
    size_t n = fread(buf, 1, 1 << 20, f);
    fclose(f);
    uint8_t *exact = realloc(buf, n ? n : 1);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 1;
}

int main(int argc, char **argv)
{
    int run = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        for (struct dirent *e; d && (e = readdir(d));) {
            char path[4096];
            if (e->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name) >= (int)sizeof path)
                continue;
            run += replay_file(path);
        }
        if (d)
            closedir(d);
    }
    printf("%d inputs replayed\n", run);
    return run == 0;
}
