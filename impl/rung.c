/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch ladder. QC_CPU_MASK is read at every call, so that nothing here is a
   global. */
#include "kernel.h"

#include <stdlib.h>
#include <string.h>

#define QC_CPU_NONE 1
#define QC_CPU_AVX2_FMA (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))

static const char *const names[QC_RUNG_COUNT] = {
#define QC_RUNG(rung, feature, summary) #rung,
#include "kernels.def"
#undef QC_RUNG
};

#define QC_RUNG(rung, feature, summary) " " #rung
static const char all_names[] =
#include "kernels.def"
    ;
#undef QC_RUNG

static const struct {
    uint32_t op;
    uint32_t rung;
    qc_kernel *kernel;
} kernels[] = {
#define QC_KERNEL(op, rung, domain) {QC_OP_##op, QC_RUNG_##rung, qc_##op##_##rung},
#include "kernels.def"
#undef QC_KERNEL
};

const char *qc_rung_name(uint32_t rung)
{
    return rung < QC_RUNG_COUNT ? names[rung] : "none";
}

uint32_t qc_rung_find(const char *name)
{
    uint32_t rung = 0;
    while (rung < QC_RUNG_COUNT && strcmp(names[rung], name) != 0) {
        rung++;
    }
    return rung;
}

int qc_rung_runs_here(uint32_t rung)
{
    switch (rung) {
#define QC_RUNG(rung, feature, summary) \
    case QC_RUNG_##rung:                \
        return QC_CPU_##feature;
#include "kernels.def"
#undef QC_RUNG
    default: return 0;
    }
}

qc_status qc_rung_top(uint32_t *rung_ret, qc_message *message)
{
    const char *const mask = getenv("QC_CPU_MASK");
    uint32_t highest = QC_RUNG_COUNT - 1;
    *rung_ret = QC_RUNG_portable;
    if (mask && *mask) {
        highest = qc_rung_find(mask);
        if (highest == QC_RUNG_COUNT) {
            return qc_fail(QC_FAULT, message, "QC_CPU_MASK: '%.40s' is not one of:%s",
                           mask, all_names);
        }
    }
    while (*rung_ret < highest && qc_rung_runs_here(*rung_ret + 1)) {
        ++*rung_ret;
    }
    return QC_OK;
}

qc_kernel *qc_kernel_find(uint32_t op, uint32_t rung)
{
    qc_kernel *found = NULL;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        if (kernels[i].op == op && kernels[i].rung <= rung) {
            found = kernels[i].kernel;
        }
    }
    return found;
}
