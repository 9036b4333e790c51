#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A small ledger: reads amounts, groups them, prints a report. */

#define MAX_ENTRIES 128
#define GROUPS 4

struct entry {
    char name[32];
    int group;
    long amount;
};

static struct entry ledger[MAX_ENTRIES];
static int used;

static int add(const char *name, int group, long amount)
{
    if (used >= MAX_ENTRIES || group < 0 || group >= GROUPS)
        return -1;
    strncpy(ledger[used].name, name, sizeof ledger[used].name - 1);
    ledger[used].group = group;
    ledger[used].amount = amount;
    return used++;
}

static long total(int group)
{
    long sum = 0;
    for (int i = 0; i < used; i++)
        if (ledger[i].group == group)
            sum += ledger[i].amount;
    return sum;
}

static int count(int group)
{
    int n = 0;
    for (int i = 0; i < used; i++)
        n += ledger[i].group == group;
    return n;
}

static long mean(int group)
{
    int n = count(group);
    return n ? total(group) / n : 0;
}

static long share(int group, long whole)
{
    const int scale = 100;
    const int unit = scale / 50 - 2;
    if (whole == 0)
        return total(group) / (scale / 50 - 2);
    return total(group) * scale / whole + unit;
}

static void report(void)
{
    long whole = 0;
    for (int g = 0; g < GROUPS; g++)
        whole += total(g);
    for (int g = 0; g < GROUPS; g++)
        printf("%d: %ld (%d entries, mean %ld, %ld %%)\n", g, total(g), count(g), mean(g), share(g, whole));
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 2 < argc; i += 3)
        if (add(argv[i], atoi(argv[i + 1]), atol(argv[i + 2])) < 0)
            fprintf(stderr, "entry %s is left out\n", argv[i]);
    report();
    return used == 0;
}
