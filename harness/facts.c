/* SPDX-License-Identifier: Apache-2.0 */
/* The record of where and with what a run was made. */
#include "harness/run.h"

#include <fenv.h>
#include <gmp.h>
#include <mpfr.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static void fact_add(qc_run_info *info, const char *key, const char *value)
{
    if (info->fact_count < sizeof info->facts / sizeof info->facts[0]) {
        qc_fact *const fact = &info->facts[info->fact_count++];
        snprintf(fact->key, sizeof fact->key, "%s", key);
        snprintf(fact->value, sizeof fact->value, "%s", value);
    }
}

/* The value of the first line of /proc/cpuinfo that begins with the key. */
static void cpuinfo_add(qc_run_info *info, const char *key, const char *name)
{
    FILE *const file = fopen("/proc/cpuinfo", "re");
    char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        char *const colon = strchr(line, ':');
        if (colon && !strncmp(line, key, strlen(key))) {
            colon[strcspn(colon, "\n")] = '\0';
            fact_add(info, name, colon[1] ? colon + 2 : "");
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

static const char *rounding_name(void)
{
    switch (fegetround()) {
    case FE_TONEAREST: return "to nearest";
#ifdef FE_UPWARD
    case FE_UPWARD: return "upward";
    case FE_DOWNWARD: return "downward";
    case FE_TOWARDZERO: return "toward zero";
#endif
    default: return "unknown";
    }
}

static void environment_add(qc_run_info *info)
{
    struct utsname names;
    if (!uname(&names)) {
        char text[sizeof info->facts[0].value];
        snprintf(text, sizeof text, "%.60s %.100s", names.sysname, names.release);
        fact_add(info, "os", text);
        fact_add(info, "machine", names.machine);
    }
    cpuinfo_add(info, "model name", "cpu");
    cpuinfo_add(info, "microcode", "microcode");
    fact_add(info, "compiler", __VERSION__);
    fact_add(info, "mpfr", mpfr_get_version());
    fact_add(info, "gmp", gmp_version);
    fact_add(info, "rounding", rounding_name());
}

static void digest_write(char text[72],
                         const unsigned char digest[crypto_hash_sha256_BYTES])
{
    sodium_bin2hex(text, 72, digest, crypto_hash_sha256_BYTES);
}

static void file_digest(const char *path, char text[72])
{
    FILE *const file = fopen(path, "rbe");
    crypto_hash_sha256_state state;
    unsigned char digest[crypto_hash_sha256_BYTES];
    unsigned char block[65536];
    size_t n;
    text[0] = '\0';
    if (!file) {
        return;
    }
    crypto_hash_sha256_init(&state);
    while ((n = fread(block, 1, sizeof block, file)) > 0) {
        crypto_hash_sha256_update(&state, block, n);
    }
    fclose(file);
    crypto_hash_sha256_final(&state, digest);
    digest_write(text, digest);
}

/* Every row, or those of one profile: name, op, form, zero point and steps. */
void qc_rows_digest(const char *profile, char text[72])
{
    crypto_hash_sha256_state state;
    unsigned char digest[crypto_hash_sha256_BYTES];
    size_t count;
    const qc_profile_row *const rows = qc_profile_rows(&count);
    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < count; i++) {
        if (!profile || !strcmp(profile, rows[i].profile)) {
            char line[512];
            const int n =
                snprintf(line, sizeof line, "%s %s %u %u %u %s\n", rows[i].profile,
                         qc_op_get(rows[i].op)->name, rows[i].scale_form, rows[i].choice,
                         rows[i].float_zp, rows[i].steps_text);
            crypto_hash_sha256_update(&state, (const unsigned char *)line, (size_t)n);
        }
    }
    crypto_hash_sha256_final(&state, digest);
    digest_write(text, digest);
}

void qc_run_info_fill(qc_run_info *info, const qc_run_options *options,
                      const qc_description *description)
{
    memset(info, 0, sizeof *info);
    snprintf(info->backend, sizeof info->backend, "%s", description->name);
    snprintf(info->backend_version, sizeof info->backend_version, "%s",
             description->version);
    snprintf(info->backend_given, sizeof info->backend_given, "%s", options->backend);
    snprintf(info->profile, sizeof info->profile, "%s",
             options->profile ? options->profile : "");
    info->level = options->level;
    info->seed = options->seed;
    qc_rows_digest(options->profile, info->rows_digest);
    file_digest(options->backend, info->backend_digest);
    const time_t now = time(NULL);
    struct tm utc;
    strftime(info->started, sizeof info->started, "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&now, &utc));
    environment_add(info);
}
