/* SPDX-License-Identifier: Apache-2.0 */
/* Replays files through a fuzz target when no engine is linked: the corpus is an ordinary test
   on any compiler. usage: TARGET FILE|FOLDER...; exits 0 when every file was read and none
   made the target abort, 1 when there was nothing to replay. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_replay(const char *path)
{
    FILE *const file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status)) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    const size_t size = (size_t)status.st_size;
    uint8_t *const data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read whole\n", path);
        exit(1);
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last line before an abort names the file */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

static int folder_replay(const char *path)
{
    DIR *const folder = opendir(path);
    int replayed = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        replayed += entry->d_name[0] == '.' ? 0 : file_replay(inside);
    }
    if (folder) {
        closedir(folder);
    }
    return replayed;
}

int main(int argc, char **argv)
{
    int replayed = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        const int is_folder = !stat(argv[i], &status) && S_ISDIR(status.st_mode);
        replayed += is_folder ? folder_replay(argv[i]) : file_replay(argv[i]);
    }
    printf("%d files replayed\n", replayed);
    return replayed == 0;
}
