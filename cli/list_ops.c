/* SPDX-License-Identifier: Apache-2.0 */
/* Every op, with what exists for it at each stage. */
#include "cli/cli.h"

#include "oracles/oracles.h"

#include <stdio.h>
#include <string.h>

#define INDENT "                        "

/* One row of a list of data that names an op. */
typedef struct op_row {
    uint32_t op;
    const char *name;
} op_row;

static const op_row references[] = {
#define QC_REFERENCE(op, ...) {QC_OP_##op, "yes"},
#define QC_REFERENCE_CHOICE(op, ...) {QC_OP_##op, "yes"},
#include "reference/reference.def"
#define QC_LINEAR_OFFER(op, ...) {QC_OP_##op, "yes"},
#include "linear.def"
#undef QC_LINEAR_OFFER
#undef QC_REFERENCE_CHOICE
#undef QC_REFERENCE
};

static const op_row kernels[] = {
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

/* Prints the names, each once where rows repeat one; "none" when there are none. */
static void names_print(const char *title, uint32_t op, const op_row *rows, size_t count)
{
    const char *last = "";
    printf("%s: ", title);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].op == op && strcmp(last, rows[i].name)) {
            printf("%s%s", *last ? ", " : "", rows[i].name);
            last = rows[i].name;
        }
    }
    printf("%s", *last ? "" : "none");
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
        names_print(INDENT "reference", op, references,
                    sizeof references / sizeof references[0]);
        names_print("; impl", op, kernels, sizeof kernels / sizeof kernels[0]);
        oracles_print(op);
        printf(INDENT "vectors: %d; mutants: %d\n", counts[op].vectors,
               counts[op].mutants);
    }
}
