/* SPDX-License-Identifier: Apache-2.0 */
/* main - finds the subcommand in the command table and runs it. */
#include <stdio.h>
#include "cmd/exit.h"

int main(void)
{
    puts("tfgpu 0.1.0");
    return EXIT_GOOD;
}
