/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "harness/isolate/shared.h"
#include "impl/impl.h"
#include "reference/reference.h"

/* `table` is evaluated in the child only. */
const qc_backend *qc_builtin_find(const char *name)
{
#define QC_BUILTIN(given, table) \
    if (!strcmp(name, given)) {  \
        return table;            \
    }
#include "builtins.def"
#undef QC_BUILTIN
    return NULL;
}

const char *qc_builtin_names(void)
{
#define QC_BUILTIN(given, table) " " given
    return ""
#include "builtins.def"
        ;
#undef QC_BUILTIN
}

int qc_builtin_is(const char *name)
{
#define QC_BUILTIN(given, table) || !strcmp(name, given)
    return 0
#include "builtins.def"
        ;
#undef QC_BUILTIN
}

int qc_backend_is_path(const char *given)
{
    const size_t length = strlen(given);
    return strchr(given, '/') || (length >= 3 && !strcmp(given + length - 3, ".so"));
}

const char *qc_worker_command(const char *given)
{
    static const char prefix[] = "worker:";
    const size_t length = sizeof prefix - 1;
    return !strncmp(given, prefix, length) && given[length] ? given + length : NULL;
}
