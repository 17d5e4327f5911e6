/* SPDX-License-Identifier: Apache-2.0 */
/* The counter-based generator: the index-th output of a SplitMix64 sequence whose start is a
   hash of (seed, stream). Integers only, any place in O(1), the same on every machine. */
#ifndef QC_CASES_RANDOM_H
#define QC_CASES_RANDOM_H

#include <stdint.h>

/* Weyl increment and finalizer of SplitMix64 (Steele, Lea, Flood 2014). */
#define QC_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t qc_random_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t qc_random_key(uint64_t seed, uint64_t stream)
{
    return qc_random_mix(qc_random_mix(seed + QC_RANDOM_STEP) ^
                         (stream * QC_RANDOM_STEP));
}

static inline uint64_t qc_random_of(uint64_t key, uint64_t index)
{
    return qc_random_mix(key + (index + 1) * QC_RANDOM_STEP);
}

/* 0 ... bound-1 from the low 32 bits of random bits; bound below 2^32. */
static inline uint32_t qc_random_below(uint64_t bits, uint32_t bound)
{
    return (uint32_t)(((bits & UINT32_MAX) * bound) >> 32);
}

#endif
