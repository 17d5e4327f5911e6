/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/expectation.h"

qc_status qc_expectation_open(qc_expectation *expectation, const qc_call *call,
                              const qc_steps *steps, qc_message *message)
{
    *expectation = (qc_expectation){.call = call, .steps = steps};
    const qc_status status =
        qc_oracle_open(call, steps, QC_ORACLE_FILTER, &expectation->fast, message);
    if (status == QC_UNSUPPORTED) {
        expectation->fast = NULL;
        return qc_expectation_exact(expectation, message) ? QC_OK : QC_UNSUPPORTED;
    }
    return status;
}

void qc_expectation_close(qc_expectation *expectation)
{
    qc_oracle_close(expectation->fast);
    qc_oracle_close(expectation->exact);
    *expectation = (qc_expectation){0};
}

qc_oracle *qc_expectation_exact(qc_expectation *expectation, qc_message *message)
{
    if (!expectation->exact &&
        qc_oracle_open(expectation->call, expectation->steps, QC_ORACLE_MPFR,
                       &expectation->exact, message) != QC_OK) {
        expectation->exact = NULL;
    }
    return expectation->exact;
}

qc_status qc_expectation_fill(qc_expectation *expectation, uint32_t arg, int64_t first,
                              int64_t count, qc_expected *want_ret, qc_message *message)
{
    if (!expectation->fast) {
        qc_oracle_expect(expectation->exact, arg, first, count, want_ret);
        return QC_OK;
    }
    qc_oracle_expect(expectation->fast, arg, first, count, want_ret);
    for (int64_t i = 0; i < count; i++) {
        if (want_ret[i].kind == QC_EXPECT_UNKNOWN) {
            qc_oracle *const exact = qc_expectation_exact(expectation, message);
            if (!exact) {
                return QC_FAULT;
            }
            qc_oracle_expect(exact, arg, first + i, 1, &want_ret[i]);
            expectation->unknown++;
        }
    }
    return QC_OK;
}
