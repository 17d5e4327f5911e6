/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/full.h"

#include "cases/cases.h"
#include "reference/reference.h"

#include <string.h>

/* The reference offers every op of the profiles, so its capabilities are the full ones. */
qc_group *qc_full_groups(uint32_t ops, const char *profile, size_t *count_ret)
{
    const qc_backend *const reference = qc_reference_backend();
    qc_description description;
    memset(&description, 0, sizeof description);
    description.size_bytes = sizeof description;
    *count_ret = 0;
    if (reference->describe(reference->self, &description, NULL) != QC_OK) {
        return NULL;
    }
    return qc_groups_make(description.capabilities, description.capability_count, ops,
                          profile, count_ret);
}
