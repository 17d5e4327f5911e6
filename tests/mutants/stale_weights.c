/* SPDX-License-Identifier: Apache-2.0 */
/* Packed weights are kept by their shape: others of the same shape meet the old ones. */
#include "mutant.h"

#include <stdlib.h>

enum { W = QC_ARG_OF(linear_s32, w_q), PACKS = 64 };

static struct pack {
    int64_t dims[2];
    unsigned char *codes;
} packs[PACKS]; /* of the process, as such caches are */

static unsigned char *packed(const qc_tensor *w)
{
    const int64_t count = qc_tensor_elems(w);
    struct pack *pack = packs;
    while (pack < packs + PACKS && pack->codes &&
           (pack->dims[0] != w->dims[0] || pack->dims[1] != w->dims[1])) {
        pack++;
    }
    if (pack == packs + PACKS || pack->codes) {
        return pack == packs + PACKS ? NULL : pack->codes;
    }
    pack->codes = malloc((size_t)count + 1);
    for (int64_t i = 0; pack->codes && i < count; i++) {
        pack->codes[i] = *qc_address(w, i);
    }
    pack->dims[0] = w->dims[0];
    pack->dims[1] = w->dims[1];
    return pack->codes;
}

static qc_status run(const qc_call *call, int runs, qc_message *message)
{
    (void)runs;
    qc_call wrong = *call;
    unsigned char *const codes = packed(&call->args[W]);
    if (codes) {
        wrong.args[W].data = codes;
        qc_tensor_contiguous(&wrong.args[W]);
    }
    return qc_honest(&wrong, message);
}

const qc_twist qc_mutant_twist = {.run = run};
