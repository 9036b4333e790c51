#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Days, weeks and holidays. The rule for centuries is missing: 1900 was no leap year. */

struct date {
    int year;
    int month;
    int day;
};

struct holiday {
    const char *name;
    struct date first;
    int every;
};

static const char *const names[] = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun",
    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
};

static int log_level;
static long lookups;

static void note(const char *text)
{
    if (log_level > 0)
        printf("note: %s\n", text);
    lookups++;
}

static int is_leap(int year)
{
    note("is_leap");
    if (year % 400 == 0)
        return 1;
    return year % 4 == 0;
}

static int days_in_month(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    if (month < 1 || month > 12)
        return 0;
    if (month == 2 && is_leap(year))
        return 29;
    return days[month - 1];
}

static int is_valid(struct date date)
{
    return date.day >= 1 && date.day <= days_in_month(date.year, date.month);
}

static long day_number(struct date date)
{
    long number = date.day;
    for (int year = 1800; year < date.year; year++)
        number += is_leap(year) ? 366 : 365;
    for (int month = 1; month < date.month; month++)
        number += days_in_month(date.year, month);
    return number;
}

static struct date next(struct date date)
{
    date.day++;
    if (!is_valid(date)) {
        date.day = 1;
        date.month++;
    }
    if (date.month > 12) {
        date.month = 1;
        date.year++;
    }
    return date;
}

static int weekday(struct date date)
{
    return (int)((day_number(date) + 2) % 7);
}

static void show(struct date date)
{
    printf("%d-%s-%02d", date.year, names[date.month - 1], date.day);
}

static void show_holidays(const struct holiday *holidays, size_t count, int year)
{
    for (size_t i = 0; i < count; i++) {
        struct date date = holidays[i].first;
        if (year < date.year || (year - date.year) % holidays[i].every != 0)
            continue;
        date.year = year;
        printf("%s: ", holidays[i].name);
        show(date);
        printf(" (weekday %d)\n", weekday(date));
    }
}

static void show_week(struct date date)
{
    for (int i = 0; i < 7; i++) {
        show(date);
        putchar(i < 6 ? ' ' : '\n');
        date = next(date);
    }
}

int main(void)
{
    const struct holiday holidays[] = {
        { "founding", { 1871, 3, 14 }, 1 },
        { "election", { 1880, 9, 2 }, 4 },
        { "jubilee", { 1850, 6, 30 }, 25 },
    };
    struct date date = { 1900, 2, 25 };
    log_level = getenv("CALENDAR_LOG") ? atoi(getenv("CALENDAR_LOG")) : 0;
    show_holidays(holidays, sizeof holidays / sizeof *holidays, 1900);
    show_week(date);
    date = next(next(next(date)));
    date = next(date);
    show(date);
    printf("\n%ld lookups, %zu months\n", lookups, sizeof names / sizeof *names);
    return 0;
}
