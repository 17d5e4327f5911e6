/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/evaluate.h"

#include "harness/expectation.h"

#include <string.h>

enum { CHUNK = 2048, DIFFERING = 256 };

/* One output of one call under judgement. */
typedef struct output {
    qc_evaluation *evaluation;
    qc_expectation *expectation;
    const qc_call *call;
    uint32_t arg;
    uint32_t dtype;
    const void *got;
} output;

static uint64_t input_bits(const qc_tensor *tensor, int64_t i)
{
    return qc_judge_bits(tensor->dtype, tensor->data, qc_tensor_at(tensor, i));
}

static const qc_tensor *argument_named(const qc_call *call, const char *name)
{
    const qc_op_info *const info = qc_op_get(call->op);
    for (uint32_t a = 0; a < info->arg_count; a++) {
        if (!strcmp(info->args[a].name, name)) {
            return &call->args[a];
        }
    }
    return NULL;
}

static void worst_note(const output *o, qc_verdict verdict, int64_t i, uint64_t got,
                       const qc_expected *want, qc_codes before)
{
    qc_evaluation *const e = o->evaluation;
    if (verdict <= e->worst.verdict) {
        return;
    }
    e->worst.verdict = verdict;
    e->worst.arg = o->arg;
    e->worst.index = i;
    e->worst.got = got;
    e->worst.want = *want;
    e->worst.before = before;
    e->worst.position = (qc_position){0};
    qc_oracle *const exact = qc_expectation_exact(o->expectation, NULL);
    if (exact) {
        qc_oracle_position(exact, i, &e->worst.position);
    }
}

static int32_t code_value(uint32_t dtype, uint64_t bits)
{
    return dtype == QC_S8 ? (int8_t)bits : (uint8_t)bits;
}

/* The codes that an answer may stand for; 0 for floats that are no value of the grid. */
static int codes_of(const output *o, qc_oracle *exact, int64_t i, uint64_t bits,
                    qc_codes *codes_ret)
{
    if (QC_DTYPE_BIT(o->dtype) & QC_SET_CODES) {
        codes_ret->low = codes_ret->high = code_value(o->dtype, bits);
        return 1;
    }
    return o->call->op == QC_OP_fake_quantize &&
           qc_oracle_codes_of(exact, i, bits, &codes_ret->low, &codes_ret->high);
}

static void delta_note(qc_group_result *result, const qc_deviation *deviation)
{
    if (deviation->excess > result->delta) {
        result->delta = deviation->excess;
    }
}

/* The mask bit that the answer stands for: a mask's own, or, for a gradient, whether it
   passed; -1 where it is neither the gradient nor +0. */
static int mask_bit(const output *o, int64_t i, uint64_t got)
{
    if (o->call->op != QC_OP_fake_quantize_grad) {
        return got <= 1 ? (int)got : -1;
    }
    const qc_tensor *const grad = argument_named(o->call, "grad");
    return got == input_bits(grad, i) ? 1 : got == 0 ? 0 : -1;
}

static int has_mask(const output *o)
{
    return o->call->op == QC_OP_fake_quantize_grad ||
           !strcmp(qc_op_get(o->call->op)->args[o->arg].name, "mask");
}

/* A mask bit: got 1 means that the code was taken for one of the grid, got 0 for one outside;
   it is a tie when the nearest code of that kind is. Real bounds have no ties. */
static qc_verdict mask_grade(const output *o, qc_oracle *exact, int64_t i, int got)
{
    int32_t qmin;
    int32_t qmax;
    qc_call_grid(o->call, &qmin, &qmax);
    const int32_t candidates[2] = {got ? qmin : qmin - 1, got ? qmax : qmax + 1};
    qc_verdict best = QC_VERDICT_FAIL;
    const int is_real = qc_op_has_key(o->call->op, QC_ATTR_mask_form) &&
                        o->call->attrs.mask_form == QC_MASK_FORM_real;
    for (int c = 0; c < 2 && got >= 0 && !is_real; c++) {
        qc_deviation deviation;
        qc_oracle_deviation(exact, i, candidates[c], 0, &deviation);
        const qc_verdict verdict =
            qc_judge_code(&o->evaluation->result->group, &deviation);
        if (verdict == QC_VERDICT_FAIL_TIE) {
            delta_note(o->evaluation->result, &deviation);
            best = verdict;
        }
    }
    return best;
}

/* Of the codes that the answer may stand for, the one nearest to the expected ones. */
static int32_t nearest_code(qc_codes got, qc_codes want)
{
    return got.low > want.high ? got.low : got.high < want.low ? got.high : want.low;
}

/* Of s32 and s64; INT64_MAX where the difference is beyond it. */
static int64_t code_apart(uint32_t dtype, uint64_t got, uint64_t want)
{
    const int64_t a = dtype == QC_S32 ? (int32_t)got : (int64_t)got;
    const int64_t b = dtype == QC_S32 ? (int32_t)want : (int64_t)want;
    int64_t apart;
    return __builtin_sub_overflow(a, b, &apart) || apart == INT64_MIN ? INT64_MAX : apart;
}

static qc_verdict value_grade(const output *o, qc_oracle *exact, int64_t i, uint64_t got,
                              uint64_t want)
{
    qc_group_result *const result = o->evaluation->result;
    qc_codes got_codes;
    qc_codes want_codes;
    if (has_mask(o)) {
        return mask_grade(o, exact, i, mask_bit(o, i, got));
    }
    if (QC_DTYPE_BIT(o->dtype) & QC_SET_INT_ZP) { /* zero points: apart in codes */
        const int64_t apart = code_apart(o->dtype, got, want);
        const int64_t distance = apart < 0 ? -apart : apart;
        result->code_distance =
            distance > result->code_distance ? distance : result->code_distance;
        return QC_VERDICT_FAIL;
    }
    if (!codes_of(o, exact, i, got, &got_codes) ||
        !codes_of(o, exact, i, want, &want_codes)) {
        const int64_t ulps = qc_judge_ulps(o->dtype, got, want);
        result->ulp_distance = ulps > result->ulp_distance ? ulps : result->ulp_distance;
        return QC_VERDICT_FAIL;
    }
    const int32_t code = nearest_code(got_codes, want_codes);
    const int64_t distance =
        code > want_codes.high ? code - want_codes.high : want_codes.low - code;
    result->code_distance =
        distance > result->code_distance ? distance : result->code_distance;
    qc_deviation deviation;
    qc_oracle_deviation(exact, i, code, 1, &deviation);
    const qc_verdict verdict = qc_judge_code(&result->group, &deviation);
    if (verdict == QC_VERDICT_FAIL_TIE) {
        delta_note(result, &deviation);
    }
    return verdict;
}

/* NaN inputs: any value of the grid, one for the group. */
static qc_verdict consistent_grade(const output *o, qc_oracle *exact, int64_t i,
                                   uint64_t got, qc_codes *before_ret)
{
    const qc_call *const call = o->call;
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    const qc_tensor *const zp = argument_named(call, "zero_point");
    int32_t qmin;
    int32_t qmax;
    qc_codes codes;
    qc_call_grid(call, &qmin, &qmax);
    o->evaluation->result->consistent++;
    if (!codes_of(o, exact, i, got, &codes) || codes.low < qmin || codes.high > qmax) {
        return QC_VERDICT_FAIL;
    }
    return qc_consistency_judge(o->evaluation->consistency, o->arg,
                                zp ? input_bits(zp, qc_call_channel(call, i)) : 0,
                                input_bits(body, i), codes, before_ret);
}

static qc_status oracles_disagree(const output *o, int64_t i, const qc_expected *want,
                                  const qc_expected *exact)
{
    return qc_fail(QC_FAULT, &o->evaluation->fault,
                   "oracle paths disagree: %s element %lld of output %u: %llx (kind %u), "
                   "MPFR %llx (kind %u)",
                   qc_op_get(o->call->op)->name, (long long)i, o->arg,
                   (unsigned long long)want->bits, want->kind,
                   (unsigned long long)exact->bits, exact->kind);
}

/* One element that is not plainly equal. MPFR derives its expected value first. */
static qc_status element_judge(const output *o, int64_t i, const qc_expected *want)
{
    qc_evaluation *const e = o->evaluation;
    const uint64_t got = qc_judge_bits(o->dtype, o->got, i);
    qc_oracle *const exact = qc_expectation_exact(o->expectation, &e->fault);
    if (!exact) {
        return QC_FAULT;
    }
    qc_expected confirmed;
    qc_oracle_expect(exact, o->arg, i, 1, &confirmed);
    e->result->confirmed++;
    if (confirmed.kind != want->kind ||
        (want->kind == QC_EXPECT_VALUE && confirmed.bits != want->bits)) {
        return oracles_disagree(o, i, want, &confirmed);
    }
    qc_codes before = {0, 0};
    qc_verdict verdict = QC_VERDICT_UNDEFINED;
    if (want->kind == QC_EXPECT_CONSISTENT) {
        verdict = consistent_grade(o, exact, i, got, &before);
    } else if (want->kind == QC_EXPECT_VALUE && got != want->bits) {
        verdict = value_grade(o, exact, i, got, want->bits);
    } else if (want->kind == QC_EXPECT_VALUE) {
        verdict = QC_VERDICT_PASS; /* one of the passes that are derived twice */
    }
    qc_judge_count(e->result, verdict, 1);
    if (!qc_verdict_conforms(verdict)) {
        worst_note(o, verdict, i, got, want, before);
    }
    return QC_OK;
}

/* The passes of a chunk: counted, and every sample_period-th derived again. */
static qc_status passes_judge(const output *o, int64_t first, const qc_expected *want,
                              int64_t count, int64_t passes)
{
    qc_evaluation *const e = o->evaluation;
    qc_judge_count(e->result, QC_VERDICT_PASS, passes);
    e->until_confirm -= passes;
    while (e->until_confirm < 0) {
        const int64_t i = -e->until_confirm % count;
        e->until_confirm += e->sample_period;
        if (want[i].kind == QC_EXPECT_VALUE &&
            want[i].bits == qc_judge_bits(o->dtype, o->got, first + i)) {
            e->result->counts[QC_VERDICT_PASS]--; /* counted anew by element_judge */
            const qc_status status = element_judge(o, first + i, &want[i]);
            if (status != QC_OK) {
                return status;
            }
        }
    }
    return QC_OK;
}

static qc_status chunk_judge(const output *o, int64_t first, int64_t count)
{
    qc_evaluation *const e = o->evaluation;
    qc_expected want[CHUNK];
    int64_t differing[DIFFERING];
    const char *const got =
        (const char *)o->got + first * (int64_t)qc_dtype_bytes(o->dtype);
    qc_status status =
        qc_expectation_fill(o->expectation, o->arg, first, count, want, &e->fault);
    int64_t passes = count;
    for (int64_t from = 0; from < count && status == QC_OK;) {
        const size_t n =
            qc_judge_differing(o->dtype, got, want, count, &from, differing, DIFFERING);
        passes -= (int64_t)n;
        for (size_t d = 0; d < n && status == QC_OK; d++) {
            status = element_judge(o, first + differing[d], &want[differing[d]]);
        }
    }
    return status == QC_OK ? passes_judge(o, first, want, count, passes) : status;
}

static qc_status output_judge(const output *o, int64_t elems)
{
    qc_status status = QC_OK;
    for (int64_t first = 0; first < elems && status == QC_OK; first += CHUNK) {
        const int64_t count = elems - first < CHUNK ? elems - first : CHUNK;
        status = chunk_judge(o, first, count);
    }
    return status;
}

qc_status qc_evaluate(qc_evaluation *evaluation, const qc_call *call,
                      const void *const outputs[QC_MAX_ARGS])
{
    const qc_op_info *const info = qc_op_get(call->op);
    qc_expectation expectation;
    qc_status status =
        qc_expectation_open(&expectation, call, evaluation->steps, &evaluation->fault);
    memset(&evaluation->worst, 0, sizeof evaluation->worst);
    for (uint32_t a = 0; a < info->arg_count && status == QC_OK; a++) {
        if (info->args[a].is_output && call->args[a].dtype != QC_NONE) {
            const output o = {evaluation, &expectation,        call,
                              a,          call->args[a].dtype, outputs[a]};
            status = output_judge(&o, qc_tensor_elems(&call->args[a]));
        }
    }
    evaluation->result->unknown += expectation.unknown;
    evaluation->result->elems += qc_call_elems(call);
    qc_expectation_close(&expectation);
    return status;
}
