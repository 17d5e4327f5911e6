/* SPDX-License-Identifier: Apache-2.0 */
/* "name(args)" to elements: the table of generators, and the walk over a tensor. */
#include "generate.h"
#include "ranges.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef enum target_kind {
    TARGET_FLOAT,
    TARGET_CODE,
    TARGET_WHOLE,
    TARGET_ANY
} target_kind;

/* Arguments: seed, stream, and where counts_nonfinite is 1 a third: 1 allows NaN and
   infinities, 0 does not. */
static const struct {
    const char *name;
    qc_element element;
    target_kind target;
    int counts_nonfinite;
} generators[] = {
    {"edges", qc_element_edges, TARGET_FLOAT, 1},
    {"dense", qc_element_dense, TARGET_FLOAT, 0},
    {"random", qc_element_random, TARGET_ANY, 1},
    {"codes", qc_element_codes, TARGET_CODE, 0},
    {"code_edges", qc_element_code_edges, TARGET_CODE, 0},
    {"scales", qc_element_scales, TARGET_FLOAT, 0},
    {"zero_points", qc_element_zero_points, TARGET_ANY, 0},
    {"odd_scales", qc_element_odd_scales, TARGET_FLOAT, 0},
    {"even_zero_points", qc_element_even_zero_points, TARGET_FLOAT, 0},
    {"range_min", qc_element_range_min, TARGET_FLOAT, 0},
    {"range_max", qc_element_range_max, TARGET_FLOAT, 0},
    {"batch", qc_element_batch, TARGET_FLOAT, 1},
    {"state_min", qc_element_state_min, TARGET_FLOAT, 1},
    {"state_max", qc_element_state_max, TARGET_FLOAT, 1},
    {"row_ends", qc_element_row_ends, TARGET_CODE, 0},
    {"column_codes", qc_element_column_codes, TARGET_CODE, 0},
    {"mask_edges", qc_element_mask_edges, TARGET_FLOAT, 1},
    {"mask_scales", qc_element_mask_scales, TARGET_FLOAT, 0},
    {"mask_zero_points", qc_element_mask_zero_points, TARGET_ANY, 0},
    {"gradients", qc_element_gradients, TARGET_FLOAT, 1},
    {"multipliers", qc_element_multipliers, TARGET_ANY, 0},
    {"shifts", qc_element_shifts, TARGET_WHOLE, 0},
    {"acc_edges", qc_element_acc_edges, TARGET_WHOLE, 0},
    {"accs", qc_element_accs, TARGET_WHOLE, 0},
};

enum { GENERATOR_COUNT = sizeof generators / sizeof generators[0] };

uint32_t qc_arg_find(uint32_t op, const char *name)
{
    const qc_op_info *const info = qc_op_get(op);
    for (uint32_t arg = 0; arg < info->arg_count; arg++) {
        if (strcmp(info->args[arg].name, name) == 0) {
            return arg;
        }
    }
    return QC_MAX_ARGS;
}

static const qc_tensor *tensor_named(const qc_case *item, const char *name)
{
    const uint32_t arg = qc_arg_find(item->call.op, name);
    const qc_tensor *const tensor = arg < QC_MAX_ARGS ? &item->call.args[arg] : NULL;
    const int usable =
        tensor != NULL && tensor->data != NULL && qc_tensor_elems(tensor) > 0;
    return usable ? tensor : NULL;
}

/* The channel's entry; any entry where there are too few, as in negative tests. */
static double parameter(const qc_tensor *tensor, int64_t channel, double fallback)
{
    if (tensor == NULL) {
        return fallback;
    }
    const int64_t at = qc_tensor_at(tensor, channel % qc_tensor_elems(tensor));
    const double value = qc_bits_to_double(tensor->dtype, qc_bits_load(tensor, at));
    return isfinite(value) ? value : fallback;
}

/* The body's axis, or -1 where the call has no valid one. */
static int64_t axis_of(const qc_case *item)
{
    const int64_t rank = item->call.args[qc_op_body(item->call.op)].rank;
    const int64_t axis = item->call.attrs.axis;
    return axis < -rank || axis >= rank ? -1 : axis + (axis < 0 ? rank : 0);
}

static qc_status read_channels(qc_generation *g, int64_t count)
{
    g->channels = calloc((size_t)count, sizeof *g->channels);
    if (g->channels == NULL) {
        return QC_NO_MEMORY;
    }
    const int is_requantize = g->item->call.op == QC_OP_requantize;
    const qc_tensor *const scales =
        tensor_named(g->item, is_requantize ? "multiplier" : "scale");
    const qc_tensor *const shifts = is_requantize ? tensor_named(g->item, "shift") : NULL;
    const qc_tensor *const zero_points = tensor_named(g->item, "zero_point");
    for (int64_t c = 0; c < count; c++) {
        const double shift = fmin(fmax(parameter(shifts, c, 0), -4096), 4096);
        const double scale = ldexp(parameter(scales, c, 1), (int)shift);
        const double zero_point = parameter(zero_points, c, 0);
        const double near = fmin(fmax(rint(zero_point), -0x1p20), 0x1p20);
        const double usable = scale > 0 ? scale : 1;
        const double unit = g->multiply ? fmin(1 / usable, DBL_MAX) : usable;
        g->channels[c] = (qc_channel){usable, unit, zero_point, (int32_t)near};
    }
    return QC_OK;
}

static void store(const qc_generation *g, int64_t at, uint64_t bits)
{
    unsigned char *const place = (unsigned char *)g->target->data + (size_t)at * g->bytes;
    const uint8_t b1 = (uint8_t)bits;
    const uint16_t b2 = (uint16_t)bits;
    const uint32_t b4 = (uint32_t)bits;
    switch (g->bytes) {
    case 1: *place = b1; break;
    case 2: memcpy(place, &b2, sizeof b2); break;
    case 4: memcpy(place, &b4, sizeof b4); break;
    default: memcpy(place, &bits, sizeof bits); break;
    }
}

/* Elements row by row; the channel is the row's, or the place in it where the axis is last. */
static void fill(const qc_generation *g, qc_element element, int64_t axis)
{
    const qc_tensor *const t = g->target;
    const int64_t elems = qc_tensor_elems(t);
    const int64_t length = t->rank > 0 ? t->dims[t->rank - 1] : 1;
    const int64_t stride = t->rank > 0 ? t->strides[t->rank - 1] : 0;
    const int along = axis >= 0 && axis == (int64_t)t->rank - 1;
    int64_t inner = 1; /* elements of one index of the axis */
    for (int64_t d = axis + 1; axis >= 0 && d < (int64_t)t->rank; d++) {
        inner *= t->dims[d];
    }
    for (int64_t i = 0; i < elems;) {
        const qc_channel *channel = g->channels;
        if (axis >= 0 && !along) {
            channel += i / inner % t->dims[axis];
        }
        int64_t at = qc_tensor_at(t, i);
        int64_t n =
            stride == 0 && length > 0 ? length - 1 : 0; /* of one place the last */
        for (i += n; n < length; n++, i++, at += stride) {
            store(g, at, element(g, along ? channel + n : channel, i));
        }
    }
}

static int target_fits(target_kind kind, uint32_t dtype)
{
    const int is_float = qc_float_layout_of(dtype).fraction_bits != 0;
    return kind == TARGET_ANY || (kind == TARGET_FLOAT && is_float) ||
           (kind == TARGET_WHOLE && !is_float) ||
           (kind == TARGET_CODE && (dtype == QC_S8 || dtype == QC_U8));
}

static qc_status parse_arguments(qc_reader *reader, qc_generation *g,
                                 int counts_nonfinite)
{
    uint64_t seed = 0;
    int64_t nonfinite = 0;
    qc_status status = qc_reader_uint(reader, "a seed", &seed);
    if (status == QC_OK && !qc_reader_take(reader, ",")) {
        return qc_reader_fail(reader, "',' and a stream");
    }
    if (status == QC_OK) {
        status = qc_reader_uint(reader, "a stream", &g->stream);
    }
    if (status == QC_OK && counts_nonfinite) {
        if (!qc_reader_take(reader, ",")) {
            return qc_reader_fail(reader, "',' and 0 or 1 for NaN and infinities");
        }
        status = qc_reader_int(reader, 0, 1, "0 or 1 for NaN and infinities", &nonfinite);
    }
    if (status == QC_OK && strcmp(reader->at, ")") != 0) {
        return qc_reader_fail(reader, "')' and the end");
    }
    g->nonfinite = (int)nonfinite;
    g->key = qc_random_key(seed ^ ((uint64_t)QC_CASES_VERSION << 56), g->stream);
    return status;
}

static uint32_t dtype_named(const qc_case *item, const char *name)
{
    const uint32_t at = qc_arg_find(item->call.op, name);
    return at < QC_MAX_ARGS ? item->call.args[at].dtype : QC_NONE;
}

static double largest_of(uint32_t dtype)
{
    const qc_float_layout layout = qc_float_layout_of(dtype);
    const uint64_t infinity = ((UINT64_C(1) << layout.exponent_bits) - 1)
                              << layout.fraction_bits;
    return layout.fraction_bits == 0 ? 0 : qc_bits_to_double(dtype, infinity - 1);
}

static qc_status run(qc_case *item, uint32_t arg, qc_generation *g, qc_element element)
{
    const int is_body =
        g->target->rank == item->call.args[qc_op_body(item->call.op)].rank;
    const int64_t axis = is_body ? axis_of(item) : -1;
    g->multiply = item->call.attrs.scale_form == QC_SCALE_FORM_multiply;
    const qc_status status = read_channels(g, axis < 0 ? 1 : g->target->dims[axis] + 1);
    if (status == QC_OK) {
        g->x_dtype = dtype_named(item, "x");
        g->y_dtype = dtype_named(item, "y");
        g->x_dtype = g->x_dtype != QC_NONE ? g->x_dtype : g->y_dtype;
        g->shared_key = g->key;
        g->key = qc_random_mix(g->key + arg);
        g->largest = largest_of(g->target->dtype);
        qc_call_grid(&item->call, &g->qmin, &g->qmax);
        fill(g, element, axis);
    }
    free(g->channels);
    return status;
}

qc_status qc_generate(qc_case *item, uint32_t arg, const char *generator,
                      qc_message *message)
{
    qc_reader reader = {.start = generator, .at = generator, .message = message};
    const size_t length = qc_reader_word(&reader, "");
    qc_generation g = {.item = item, .target = &item->call.args[arg]};
    g.layout = qc_float_layout_of(g.target->dtype);
    g.bytes = qc_dtype_bytes(g.target->dtype);
    for (int n = 0; n < GENERATOR_COUNT; n++) {
        if (strlen(generators[n].name) != length ||
            memcmp(generators[n].name, generator, length) != 0) {
            continue;
        }
        if (!target_fits(generators[n].target, g.target->dtype)) {
            return qc_fail(QC_INVALID, message, "generator %s does not make %s",
                           generators[n].name, qc_dtype_name(g.target->dtype));
        }
        reader.at += length;
        if (!qc_reader_take(&reader, "(")) {
            return qc_reader_fail(&reader, "'(' and arguments");
        }
        const qc_status status =
            parse_arguments(&reader, &g, generators[n].counts_nonfinite);
        return status == QC_OK ? run(item, arg, &g, generators[n].element) : status;
    }
    return qc_reader_fail(&reader,
                          "a generator: edges, dense, random, codes, code_edges, scales, "
                          "zero_points, multipliers, shifts, acc_edges or accs");
}
