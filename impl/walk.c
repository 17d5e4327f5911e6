/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

typedef struct nest {
    int count;     /* of dims, outermost first */
    int axis;      /* index of the channel's dim, or -1 */
    uint32_t args; /* how many arguments the op has */
    int64_t dims[QC_MAX_RANK];
    int64_t strides[QC_MAX_ARGS][QC_MAX_RANK]; /* in elements; of body-shaped arguments */
} nest;

static int is_body_shaped(const qc_call *call, uint32_t a)
{
    const uint32_t shape = qc_op_get(call->op)->args[a].shape;
    return (shape == QC_SHAPE_BODY || shape == QC_SHAPE_LIKE) &&
           call->args[a].dtype != QC_NONE;
}

/* 1 when dim d of the body continues the nest's last dim in every argument. */
static int continues(const nest *n, const qc_call *call, uint32_t d)
{
    const int64_t dim = call->args[qc_op_body(call->op)].dims[d];
    for (uint32_t a = 0; a < n->args; a++) {
        if (is_body_shaped(call, a) &&
            n->strides[a][n->count - 1] != dim * call->args[a].strides[d]) {
            return 0;
        }
    }
    return 1;
}

/* The body's dims without those of size 1, neighbours joined where all strides allow and
   neither is the axis. */
static nest nest_of(const qc_call *call)
{
    const qc_tensor *const body = &call->args[qc_op_body(call->op)];
    const int32_t given = call->attrs.axis;
    const int64_t axis = given == QC_AXIS_NONE ? -1
                         : given < 0           ? given + (int32_t)body->rank
                                               : given;
    nest n = {.axis = -1, .args = qc_op_get(call->op)->arg_count};
    for (uint32_t d = 0; d < body->rank; d++) {
        if (body->dims[d] == 1) {
            continue;
        }
        const int joins =
            n.count > 0 && d != axis && n.axis != n.count - 1 && continues(&n, call, d);
        const int at = joins ? n.count - 1 : n.count++;
        n.axis = d == axis ? at : n.axis;
        n.dims[at] = body->dims[d] * (joins ? n.dims[at] : 1);
        for (uint32_t a = 0; a < n.args; a++) {
            n.strides[a][at] = call->args[a].strides[d];
        }
    }
    return n;
}

/* Moves the run to the outer index `at`. */
static void place(const qc_call *call, const nest *n, const int64_t *at, qc_run *run)
{
    run->channel = n->axis >= 0 && n->axis < n->count - 1 ? at[n->axis] : 0;
    for (uint32_t a = 0; a < n->args; a++) {
        if (is_body_shaped(call, a)) {
            int64_t element = call->args[a].offset;
            for (int d = 0; d < n->count - 1; d++) {
                element += at[d] * n->strides[a][d];
            }
            const int64_t bytes = (int64_t)qc_dtype_bytes(call->args[a].dtype);
            run->data[a] = (char *)call->args[a].data + element * bytes;
        }
    }
}

void qc_walk_runs(const qc_call *call, qc_kernel *kernel)
{
    if (qc_op_is_linear(call->op)) { /* its kernels take the call whole */
        kernel(call, &(qc_run){0});
        return;
    }
    if (qc_tensor_elems(&call->args[qc_op_body(call->op)]) == 0) {
        return;
    }
    const nest n = nest_of(call);
    const int inner = n.count - 1;
    qc_run run = {.count = n.count ? n.dims[inner] : 1,
                  .channel_step = n.count && n.axis == inner};
    for (uint32_t a = 0; a < n.args; a++) {
        run.stride[a] = n.count ? n.strides[a][inner] : 1;
    }
    int64_t at[QC_MAX_RANK] = {0};
    for (int d = 0; d >= 0;) {
        place(call, &n, at, &run);
        kernel(call, &run);
        for (d = inner - 1; d >= 0 && ++at[d] == n.dims[d]; d--) {
            at[d] = 0;
        }
    }
}

void qc_walk(const qc_call *call, qc_kernel *kernel)
{
    if (call->op == QC_OP_observe) {
        kernel(call, NULL);
    } else {
        qc_walk_runs(call, kernel);
    }
}
