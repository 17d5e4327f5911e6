/* SPDX-License-Identifier: Apache-2.0 */
/* The shared region: one anonymous mapping that the fork hands down, so that nothing is left
   behind when both processes are gone, however they went. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/isolate/shared.h"

#define ARENA_COUNT (QC_MAX_ARGS * QC_FRAME_COUNT)

static size_t round_up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

qc_status qc_region_open(size_t arena_bytes, qc_region *region_ret, qc_message *message)
{
    const size_t page = page_bytes();
    const size_t shared_bytes = round_up(sizeof(qc_shared), page);
    qc_region region = {.arena_bytes = round_up(arena_bytes + page, page)};
    region.bytes = 2 * QC_GUARD_BYTES + shared_bytes +
                   ARENA_COUNT * (region.arena_bytes + QC_GUARD_BYTES);
    void *base = mmap(NULL, region.bytes, PROT_NONE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        return qc_fail(QC_NO_MEMORY, message, "no room for %zu MiB of shared addresses",
                       region.bytes >> 20);
    }
    region.base = base;
    region.shared = (qc_shared *)(void *)(region.base + QC_GUARD_BYTES);
    int refused = mprotect(region.shared, shared_bytes, PROT_READ | PROT_WRITE);
    for (uint32_t i = 0; i < ARENA_COUNT && !refused; i++) {
        refused =
            mprotect(qc_region_arena(&region, i / QC_FRAME_COUNT, i % QC_FRAME_COUNT),
                     region.arena_bytes, PROT_READ | PROT_WRITE);
    }
    if (refused) {
        qc_region_close(&region);
        return qc_fail(QC_NO_MEMORY, message, "no room for shared memory");
    }
    *region_ret = region;
    return QC_OK;
}

void qc_region_close(qc_region *region)
{
    if (region->base) {
        munmap(region->base, region->bytes);
    }
    memset(region, 0, sizeof *region);
}

unsigned char *qc_region_arena(const qc_region *region, uint32_t arg, uint32_t frame)
{
    const size_t stride = region->arena_bytes + QC_GUARD_BYTES;
    return region->base + region->bytes -
           stride * (ARENA_COUNT - (arg * QC_FRAME_COUNT + frame));
}

qc_place qc_region_find(const qc_region *region, uintptr_t address, uint32_t *arg_ret,
                        uint32_t *frame_ret)
{
    for (uint32_t i = 0; i < ARENA_COUNT; i++) {
        const uintptr_t first =
            (uintptr_t)qc_region_arena(region, i / QC_FRAME_COUNT, i % QC_FRAME_COUNT);
        /* Half of each guard belongs to the arena on its side. */
        if (address >= first - QC_GUARD_BYTES / 2 &&
            address < first + region->arena_bytes + QC_GUARD_BYTES / 2) {
            *arg_ret = i / QC_FRAME_COUNT;
            *frame_ret = i % QC_FRAME_COUNT;
            return address >= first && address < first + region->arena_bytes
                       ? QC_PLACE_ARENA
                       : QC_PLACE_GUARD;
        }
    }
    return QC_PLACE_ELSEWHERE;
}

void qc_region_protect(const qc_region *region, uint32_t arg, int writable)
{
    for (uint32_t frame = 0; frame < QC_FRAME_COUNT; frame++) {
        mprotect(qc_region_arena(region, arg, frame), region->arena_bytes,
                 writable ? PROT_READ | PROT_WRITE : PROT_READ);
    }
}

void qc_region_trim(const qc_region *region, uint32_t arg)
{
    for (uint32_t frame = 0; frame < QC_FRAME_COUNT; frame++) {
        unsigned char *arena = qc_region_arena(region, arg, frame);
        madvise(arena, region->arena_bytes, MADV_REMOVE);
    }
}
