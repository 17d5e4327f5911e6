/* SPDX-License-Identifier: Apache-2.0 */
/* Every op, with what exists for it at each stage. */
#include "cli/cli.h"

#include "oracles/oracles.h"
#include "reference/reference.h"

#include <stdio.h>
#include <string.h>

#define INDENT "                        "

static const struct {
    uint32_t op;
    const char *rung;
} kernels[] = {
#define QC_KERNEL(op, rung, domain) {QC_OP_##op, #rung},
#include "kernels.def"
#undef QC_KERNEL
};

/* What no program of the suite holds is counted when it is configured. */
static const struct {
    int vectors;
    int mutants;
} counts[QC_OP_COUNT] = {
#define QC_OP_COUNTS(op, vectors, mutants) [QC_OP_##op] = {vectors, mutants},
#include "op_counts.inc"
#undef QC_OP_COUNTS
};

/* The rungs of the op's kernels, each once; "none" when there are none. */
static void kernels_print(uint32_t op)
{
    const char *last = "";
    printf("; impl: ");
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i].op == op && strcmp(last, kernels[i].rung)) {
            printf("%s%s", *last ? ", " : "", kernels[i].rung);
            last = kernels[i].rung;
        }
    }
    printf("%s", *last ? "" : "none");
}

static int reference_has(uint32_t op)
{
    const qc_backend *const reference = qc_reference_backend();
    qc_description description;
    uint32_t i = 0;
    if (reference->describe(reference->self, &description, NULL) != QC_OK) {
        return 0;
    }
    while (i < description.capability_count && description.capabilities[i].op != op) {
        i++;
    }
    return i < description.capability_count;
}

/* Which profiles have a row for the op. */
static void profiles_print(uint32_t op)
{
    size_t count;
    const qc_profile_row *const rows = qc_profile_rows(&count);
    const char *last = "";
    for (size_t i = 0; i < count; i++) {
        if (rows[i].op == op && strcmp(last, rows[i].profile)) {
            printf("%s%s", *last ? ", " : INDENT "profiles: ", rows[i].profile);
            last = rows[i].profile;
        }
    }
    printf("%s", *last ? "\n" : INDENT "no profile yet\n");
}

static void oracles_print(uint32_t op)
{
    const char *name;
    int printed = 0;
    printf("; oracles: ");
    for (uint32_t path = 0; (name = qc_oracle_path_name(path)) != NULL; path++) {
        if (qc_oracle_has(op, path)) {
            printf("%s%s", printed++ ? ", " : "", name);
        }
    }
    printf("%s", printed ? "\n" : "none\n");
}

void qc_list_ops(void)
{
    printf("ops:\n");
    for (uint32_t op = 0; op < QC_OP_COUNT; op++) {
        printf("  %-21s %s\n", qc_op_get(op)->name, qc_op_get(op)->summary);
        profiles_print(op);
        printf(INDENT "reference: %s", reference_has(op) ? "yes" : "none");
        kernels_print(op);
        oracles_print(op);
        printf(INDENT "vectors: %d; mutants: %d\n", counts[op].vectors,
               counts[op].mutants);
    }
}
