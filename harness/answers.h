/* SPDX-License-Identifier: Apache-2.0 */
/* The oracle's own answer to a case, and the judgement of an answer that came as text. */
#ifndef QUANTCERT_ANSWERS_H
#define QUANTCERT_ANSWERS_H

#include "quantcert/case.h"
#include "quantcert/result.h"

/* What is expected: values, `!invalid`, or `!unsupported` when the profile has no row. Where
   a NaN input leaves the code open, the answer holds that of x = 0, the zero point. */
qc_status qc_answer_expected(const qc_case *item, qc_answer *answer_ret,
                             qc_message *message);

/* Judges an answer to a case; the witness's line is the case with all its values. */
qc_status qc_answer_judge(const qc_case *item, const qc_answer *answer,
                          qc_group_result *result_ret, qc_message *message);

#endif
