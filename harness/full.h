/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of a backend that offers everything the built ops have. */
#ifndef QUANTCERT_FULL_H
#define QUANTCERT_FULL_H

#include "quantcert/result.h"

/* malloc'd; NULL with count 0 when no profile has a row for the ops. profile NULL: ideal. */
qc_group *qc_full_groups(uint32_t ops, const char *profile, size_t *count_ret);

#endif
