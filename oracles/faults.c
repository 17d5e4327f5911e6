/* SPDX-License-Identifier: Apache-2.0 */
/* Run-time checks of the oracles themselves. The count is process state, as MPFR's
   exponent range is: one oracle thread per process, and one number that decides exit
   code 4. */

#include "engine.h"

static int64_t fault_count;
static qc_message first_fault;

void qc_oracle_fault(const char *what)
{
    if (fault_count++ == 0) {
        qc_fail(QC_FAULT, &first_fault, "%s", what);
    }
}

int64_t qc_oracle_faults(qc_message *first_ret)
{
    if (first_ret) {
        *first_ret = first_fault;
    }
    return fault_count;
}
