/* SPDX-License-Identifier: Apache-2.0 */
#include "sum.h"

#include <assert.h>
#include <math.h>

/* Shewchuk's grow-expansion with Knuth's two-sum: the last term exceeds all others
   together. */
void qc_sum_add(qc_sum *sum, double term)
{
    int kept = 0;
    for (int i = 0; i < sum->count; i++) {
        const double a = sum->term[i];
        const double total = term + a;
        const double b = total - term;
        const double error = (term - (total - b)) + (a - b);
        if (error != 0.0) {
            sum->term[kept++] = error;
        }
        term = total;
    }
    if (term != 0.0) {
        assert(kept < QC_SUM_TERMS);
        sum->term[kept++] = term;
    }
    sum->count = kept;
}

void qc_sum_add_product(qc_sum *sum, double a, double b)
{
    const double product = a * b;
    qc_sum_add(sum, fma(a, b, -product));
    qc_sum_add(sum, product);
}

int qc_sum_sign(const qc_sum *sum)
{
    const double top = sum->count ? sum->term[sum->count - 1] : 0.0;
    return (top > 0.0) - (top < 0.0);
}
