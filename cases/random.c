/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include "cases.h"

uint64_t qc_random_at(uint64_t seed, uint64_t stream, uint64_t index)
{
    return qc_random_of(qc_random_key(seed, stream), index);
}
