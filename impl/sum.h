/* SPDX-License-Identifier: Apache-2.0 */
/* Exact sums of a few doubles, far from overflow and underflow. */
#ifndef QC_IMPL_SUM_H
#define QC_IMPL_SUM_H

#define QC_SUM_TERMS 8

typedef struct qc_sum {
    int count;
    double term[QC_SUM_TERMS]; /* non-overlapping, growing */
} qc_sum;

void qc_sum_add(qc_sum *sum, double term);
void qc_sum_add_product(qc_sum *sum, double a, double b);
int qc_sum_sign(const qc_sum *sum);

#endif
