/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of code inputs. */
#include "generate.h"

/* All 256 codes in each block of 256, shuffled anew: steps that each permute eight bits. */
uint64_t qc_element_codes(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)i >> 8);
    uint64_t code = (uint64_t)i & 255;
    code = (code * ((r & 254) | 1) + (r >> 8)) & 255;
    code ^= code >> 4;
    code = (code * ((r >> 16 & 254) | 1) + (r >> 24)) & 255;
    return code ^ code >> 3;
}

/* The zero point (L10), codes at +- 2^n and 3 * 2^n from it (L11), the ends, and any. */
uint64_t qc_element_code_edges(const qc_generation *g, const qc_channel *channel,
                               int64_t i)
{
    const uint64_t r = qc_random_of(g->key, (uint64_t)i);
    const int32_t low = g->target->dtype == QC_S8 ? INT8_MIN : 0;
    int32_t off = (r >> 60 & 3 ? 3 : 1) << (r >> 50 & 7);
    off = r >> 59 & 1 ? -off : off;
    switch (r >> 40 & 7) {
    case 0: off = 0; break;
    case 1: return (uint64_t)(low + (r >> 50 & 1 ? 255 : 0)) & 255;
    case 2: return r >> 20 & 255;
    default: break;
    }
    int32_t code = channel->whole + off;
    if (code < low || code > low + 255) {
        code = channel->whole - off;
    }
    return code < low || code > low + 255 ? r >> 20 & 255 : (uint64_t)code & 255;
}

static int64_t columns_of(const qc_generation *g)
{
    const qc_tensor *const t = g->target;
    return t->rank > 0 && t->dims[t->rank - 1] > 0 ? t->dims[t->rank - 1] : 1;
}

/* Rows of the lowest code, every third of the highest (L20). */
uint64_t qc_element_row_ends(const qc_generation *g, const qc_channel *channel, int64_t i)
{
    (void)channel;
    const int64_t row = i / columns_of(g);
    const int is_high = row % 3 == 1;
    return (uint64_t)((g->target->dtype == QC_S8 ? INT8_MIN : 0) + (is_high ? 255 : 0)) &
           255;
}

/* One row for all, of codes next to the lowest (L22). */
uint64_t qc_element_column_codes(const qc_generation *g, const qc_channel *channel,
                                 int64_t i)
{
    (void)channel;
    const uint64_t r = qc_random_of(g->key, (uint64_t)(i % columns_of(g)));
    return (uint64_t)((g->target->dtype == QC_S8 ? INT8_MIN : 0) +
                      (int64_t)qc_random_below(r, 4)) &
           255;
}
