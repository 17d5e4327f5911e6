/* SPDX-License-Identifier: Apache-2.0 */
/* What the adapter asks of oneDNN, in the words of versions 2 and 3. In 2 one output scale,
   with or without a mask, multiplies the accumulator; in 3 each argument has a scale of its
   own, that of the destination divides. Values are handed over at run time in both. */
#ifndef QC_PLUGIN_ONEDNN_API_H
#define QC_PLUGIN_ONEDNN_API_H

#include <dnnl.h>
#include <string.h>

#if DNNL_VERSION_MAJOR >= 3

typedef dnnl_memory_desc_t layout;

static inline dnnl_status_t layout_make(layout *layout_ret, int rank, const int64_t *dims,
                                        const int64_t *strides, dnnl_data_type_t type)
{
    dnnl_dims_t all_dims = {0}; /* the library reads whole arrays */
    dnnl_dims_t all_strides = {0};
    memcpy(all_dims, dims, (size_t)rank * sizeof *dims);
    memcpy(all_strides, strides, (size_t)rank * sizeof *strides);
    return dnnl_memory_desc_create_with_strides(layout_ret, rank, all_dims, type,
                                                all_strides);
}

static inline void layout_free(layout *made)
{
    if (*made) {
        dnnl_memory_desc_destroy(*made);
    }
}

#define LAYOUT_OF(made) (*(made))
#define SCALE_ARGUMENT(arg) (DNNL_ARG_ATTR_SCALES | (arg))

static inline dnnl_status_t scale_add(dnnl_primitive_attr_t attr, int arg, int mask)
{
    return dnnl_primitive_attr_set_scales_mask(attr, arg, mask);
}

static inline dnnl_status_t zero_point_add(dnnl_primitive_attr_t attr, int arg)
{
    return dnnl_primitive_attr_set_zero_points_mask(attr, arg, 0);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *desc_ret,
                                        dnnl_engine_t engine, const layout *x,
                                        const layout *w, const layout *bias,
                                        const layout *y, dnnl_primitive_attr_t attr)
{
    return dnnl_matmul_primitive_desc_create(desc_ret, engine, *x, *w,
                                             bias ? *bias : NULL, *y, attr);
}

#else

typedef dnnl_memory_desc_t layout;

static inline dnnl_status_t layout_make(layout *layout_ret, int rank, const int64_t *dims,
                                        const int64_t *strides, dnnl_data_type_t type)
{
    dnnl_dims_t all_dims = {0}; /* the library reads whole arrays */
    dnnl_dims_t all_strides = {0};
    memcpy(all_dims, dims, (size_t)rank * sizeof *dims);
    memcpy(all_strides, strides, (size_t)rank * sizeof *strides);
    return dnnl_memory_desc_init_by_strides(layout_ret, rank, all_dims, type,
                                            all_strides);
}

static inline void layout_free(layout *made)
{
    (void)made;
}

#define LAYOUT_OF(made) (made)
#define SCALE_ARGUMENT(arg) ((void)(arg), DNNL_ARG_ATTR_OUTPUT_SCALES)

static inline dnnl_status_t scale_add(dnnl_primitive_attr_t attr, int arg, int mask)
{
    const float scale = DNNL_RUNTIME_F32_VAL;
    (void)arg;
    return dnnl_primitive_attr_set_output_scales(attr, 1, mask, &scale);
}

static inline dnnl_status_t zero_point_add(dnnl_primitive_attr_t attr, int arg)
{
    const int32_t zero_point = DNNL_RUNTIME_S32_VAL;
    return dnnl_primitive_attr_set_zero_points(attr, arg, 1, 0, &zero_point);
}

static inline dnnl_status_t matmul_make(dnnl_primitive_desc_t *desc_ret,
                                        dnnl_engine_t engine, const layout *x,
                                        const layout *w, const layout *bias,
                                        const layout *y, dnnl_primitive_attr_t attr)
{
    dnnl_matmul_desc_t op;
    const dnnl_status_t status = dnnl_matmul_desc_init(&op, x, w, bias, y);
    return status == dnnl_success
               ? dnnl_primitive_desc_create(desc_ret, &op, attr, engine, NULL)
               : status;
}

#endif
#endif
