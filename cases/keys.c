/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include <string.h>

const char *qc_slot_name(uint32_t op, int slot)
{
    static const char *const common[QC_SLOT_ATTRS] = {"profile", "align", "threads",
                                                      "repeat"};
    if (slot < QC_SLOT_ATTRS) {
        return common[slot];
    }
    if (slot < QC_SLOT_ARGS) {
        const uint32_t attr = (uint32_t)(slot - QC_SLOT_ATTRS);
        return qc_op_has_key(op, attr) ? qc_attr_name(attr) : NULL;
    }
    const qc_op_info *const info = qc_op_get(op);
    const uint32_t arg = (uint32_t)(slot - QC_SLOT_ARGS);
    return arg < info->arg_count ? info->args[arg].name : NULL;
}

int qc_slot_find(uint32_t op, const char *name, size_t length)
{
    int slot = 0;
    for (; slot < QC_SLOT_COUNT; slot++) {
        const char *const known = qc_slot_name(op, slot);
        if (known != NULL && strlen(known) == length &&
            memcmp(known, name, length) == 0) {
            break;
        }
    }
    return slot;
}

int qc_attr_is_real(uint32_t attr)
{
    static const int real[QC_ATTR_COUNT] = {
#define QC_ATTR(key, kind) _Generic(((const qc_attrs *)0)->key, double : 1, default : 0),
#include "ops.def"
#undef QC_ATTR
    };
    return real[attr];
}
