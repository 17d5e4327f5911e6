/* SPDX-License-Identifier: Apache-2.0 */
/* The ABI of the public headers does not change: every row of abi.def is an assertion of the
   compiler. Built as C and as C++, and by the cross build for big endian. Structs without
   pointers are asserted wherever 8-byte numbers align to 8 bytes, those with pointers where
   these have 8 bytes too. */
#include "quantcert/backend.h"
#include "quantcert/case.h"
#include "quantcert/half.h"
#include "quantcert/modules.h"
#include "quantcert/result.h"

#include <stdio.h>

#ifndef __cplusplus
#define static_assert _Static_assert
#endif

struct aligned {
    char first;
    int64_t whole;
    double real;
};

#define ALIGNS_TO_8 (sizeof(struct aligned) == 24)
#define IS_LP64 (ALIGNS_TO_8 && sizeof(void *) == 8)

#define FIXED_SIZE(type, bytes) \
    static_assert(!ALIGNS_TO_8 || sizeof(type) == bytes, "sizeof " #type);
#define FIXED_FIELD(type, field, at)                           \
    static_assert(!ALIGNS_TO_8 || offsetof(type, field) == at, \
                  "offset of " #type "." #field);
#define WIDE_SIZE(type, bytes) \
    static_assert(!IS_LP64 || sizeof(type) == bytes, "sizeof " #type);
#define WIDE_FIELD(type, field, at) \
    static_assert(!IS_LP64 || offsetof(type, field) == at, "offset of " #type "." #field);
#define VALUE(name, value) static_assert((int)name == value, #name);
#define ARG(op, arg, place) static_assert(QC_ARG_OF(op, arg) == place, #op " " #arg);
#include "abi.def"
#undef FIXED_SIZE
#undef FIXED_FIELD
#undef WIDE_SIZE
#undef WIDE_FIELD
#undef VALUE
#undef ARG

/* Enums that stand in structs or are returned have the size of an int. */
static_assert(sizeof(qc_status) == 4 && sizeof(qc_dtype) == 4, "enums");

int main(void)
{
    const union {
        uint32_t whole;
        unsigned char byte[4];
    } order = {0x01020304};
    printf("held when compiled: %s, %d-byte pointers\n",
           order.byte[0] == 1 ? "big endian" : "little endian", (int)sizeof(void *));
    return IS_LP64 ? 0 : 77; /* elsewhere the wide rows say nothing: skipped */
}
