/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <stdlib.h>

/* Random NaN payloads are many; beyond INPUTS of them only the group's codes are kept, which
   is what the rule needs: the inputs merely tell a position from a payload. */
enum { INPUTS = 64 };

typedef struct entry {
    uint64_t zero_point;
    uint64_t input[INPUTS];
    qc_codes answer[INPUTS];
    qc_codes all;
    uint32_t arg;
    uint32_t inputs;
} entry;

struct qc_consistency {
    entry *entries;
    size_t count;
    size_t capacity;
};

qc_consistency *qc_consistency_open(void)
{
    return calloc(1, sizeof(qc_consistency));
}

void qc_consistency_close(qc_consistency *table)
{
    if (table) {
        free(table->entries);
        free(table);
    }
}

static entry *entry_find(qc_consistency *table, uint32_t arg, uint64_t zero_point)
{
    for (size_t i = 0; i < table->count; i++) {
        if (table->entries[i].arg == arg && table->entries[i].zero_point == zero_point) {
            return &table->entries[i];
        }
    }
    return NULL;
}

static entry *entry_add(qc_consistency *table, uint32_t arg, uint64_t zero_point,
                        qc_codes all)
{
    if (table->count == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 16;
        entry *const grown = realloc(table->entries, capacity * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        table->entries = grown;
        table->capacity = capacity;
    }
    entry *const added = &table->entries[table->count++];
    *added = (entry){.zero_point = zero_point, .all = all, .arg = arg};
    return added;
}

/* Narrows *kept to the codes that both hold; 0 and unchanged when there are none. */
static int intersect(qc_codes *kept, qc_codes other)
{
    const qc_codes both = {
        kept->low > other.low ? kept->low : other.low,
        kept->high < other.high ? kept->high : other.high,
    };
    if (both.low > both.high) {
        return 0;
    }
    *kept = both;
    return 1;
}

qc_verdict qc_consistency_judge(qc_consistency *table, uint32_t arg, uint64_t zero_point,
                                uint64_t input, qc_codes got, qc_codes *before_ret)
{
    entry *e = entry_find(table, arg, zero_point);
    if (!e && !(e = entry_add(table, arg, zero_point, got))) {
        *before_ret = got;
        return QC_VERDICT_FAIL; /* out of memory: never a silent pass */
    }
    uint32_t i = 0;
    while (i < e->inputs && e->input[i] != input) {
        i++;
    }
    if (i < e->inputs) {
        *before_ret = e->answer[i];
        if (!intersect(&e->answer[i], got)) {
            return QC_VERDICT_POSITION_DEPENDENT;
        }
    } else if (i < INPUTS) {
        e->input[i] = input;
        e->answer[i] = got;
        e->inputs++;
    }
    *before_ret = e->all;
    return intersect(&e->all, got) ? QC_VERDICT_PASS : QC_VERDICT_FAIL;
}
