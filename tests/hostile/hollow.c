/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library that is no plugin. */
int hollow(void);

int hollow(void)
{
    return 0;
}
