#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A hash table with open addressing. Removing an entry cuts the chain of those behind it. */

#define SLOTS 16

struct entry {
    char key[12];
    int value;
    int taken;
};

struct table {
    struct entry slots[SLOTS];
    int count;
    int probes;
    int longest;
};

static uint32_t hash(const char *key)
{
    uint32_t sum = 0;
    while (*key)
        sum += (unsigned char)*key++;
    return sum;
}

static void clear(struct table *table)
{
    memset(table, 0, sizeof *table);
}

static struct entry *find(struct table *table, const char *key)
{
    uint32_t start = hash(key) % SLOTS;
    for (uint32_t step = 0; step < SLOTS; step++) {
        struct entry *entry = &table->slots[(start + step) % SLOTS];
        table->probes++;
        if ((int)step > table->longest)
            table->longest = (int)step;
        if (!entry->taken || strcmp(entry->key, key) == 0)
            return entry;
    }
    return NULL;
}

static int put(struct table *table, const char *key, int value)
{
    struct entry *entry = find(table, key);
    if (entry == NULL || strlen(key) >= sizeof entry->key)
        return -1;
    if (!entry->taken) {
        strcpy(entry->key, key);
        entry->taken = 1;
        table->count++;
    }
    entry->value = value;
    return table->count;
}

static int get(struct table *table, const char *key, int otherwise)
{
    struct entry *entry = find(table, key);
    return entry != NULL && entry->taken ? entry->value : otherwise;
}

static int drop(struct table *table, const char *key)
{
    struct entry *entry = find(table, key);
    if (entry == NULL || !entry->taken)
        return 0;
    entry->taken = 0;
    table->count--;
    return 1;
}

static int sum(const struct table *table)
{
    int total = 0;
    for (int i = 0; i < SLOTS; i++)
        if (table->slots[i].taken)
            total += table->slots[i].value;
    return total;
}

static void dump(const struct table *table)
{
    for (int i = 0; i < SLOTS; i++) {
        const struct entry *entry = &table->slots[i];
        if (entry->taken)
            printf("  %2d %s=%d\n", i, entry->key, entry->value);
    }
    printf("  %d entries, %d probes, longest %d\n", table->count, table->probes, table->longest);
}

static int check(struct table *table, const char *key, int expected)
{
    int found = get(table, key, -1);
    if (found == expected)
        return 0;
    printf("lost: %s is %d, not %d\n", key, found, expected);
    return 1;
}

int main(void)
{
    struct table table;
    int wrong = 0;
    clear(&table);
    put(&table, "one", 1);
    put(&table, "two", 2);
    put(&table, "owt", 22);
    put(&table, "three", 3);
    put(&table, "four", 4);
    dump(&table);
    wrong += check(&table, "owt", 22);
    drop(&table, "four");
    drop(&table, "two");
    wrong += check(&table, "one", 1);
    wrong += check(&table, "owt", 22);
    wrong += check(&table, "three", 3);
    dump(&table);
    printf("%d wrong, sum %d\n", wrong, sum(&table));
    return wrong > 100;
}
