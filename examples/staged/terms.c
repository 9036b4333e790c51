#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads terms into a tree and evaluates them. Subtraction groups to the right, so 10 - 3 - 2 is 9. */

enum kind { NUMBER, ADD, SUB, MUL, DIV, NEG };

struct node {
    enum kind kind;
    long value;
    struct node *left;
    struct node *right;
};

static struct node pool[256];
static size_t used;
static const char *at;
static int errors;

static struct node *make(enum kind kind, struct node *left, struct node *right)
{
    if (used == sizeof pool / sizeof *pool) {
        fprintf(stderr, "too many nodes\n");
        exit(2);
    }
    struct node *node = &pool[used++];
    node->kind = kind;
    node->left = left;
    node->right = right;
    return node;
}

static void skip(void)
{
    while (isspace((unsigned char)*at))
        at++;
}

static struct node *sum(void);

static struct node *number(void)
{
    struct node *node = make(NUMBER, NULL, NULL);
    node->value = strtol(at, (char **)&at, 10);
    return node;
}

static struct node *factor(void)
{
    skip();
    if (*at == '-') {
        at++;
        return make(NEG, factor(), NULL);
    }
    if (*at == '(') {
        at++;
        struct node *inner = sum();
        skip();
        if (*at == ')')
            at++;
        else
            errors++;
        return inner;
    }
    if (!isdigit((unsigned char)*at)) {
        errors++;
        return make(NUMBER, NULL, NULL);
    }
    return number();
}

static struct node *product(void)
{
    struct node *left = factor();
    skip();
    while (*at == '*' || *at == '/') {
        enum kind kind = *at++ == '*' ? MUL : DIV;
        left = make(kind, left, factor());
        skip();
    }
    return left;
}

static struct node *sum(void)
{
    struct node *left = product();
    skip();
    if (*at == '+' || *at == '-') {
        enum kind kind = *at++ == '+' ? ADD : SUB;
        return make(kind, left, sum());
    }
    return left;
}

static long value(const struct node *node)
{
    switch (node->kind) {
    case ADD:
        return value(node->left) + value(node->right);
    case SUB:
        return value(node->left) - value(node->right);
    case MUL:
        return value(node->left) * value(node->right);
    case DIV: {
        long by = value(node->right);
        return by == 0 ? 0 : value(node->left) / by;
    }
    case NEG:
        return -value(node->left);
    default:
        return node->value;
    }
}

static int depth(const struct node *node)
{
    if (node == NULL)
        return 0;
    int left = depth(node->left), right = depth(node->right);
    return 1 + (left > right ? left : right);
}

static void evaluate(const char *text)
{
    used = 0;
    errors = 0;
    at = text;
    struct node *tree = sum();
    if (errors > 0 || *at != '\0') {
        printf("%s: %d errors\n", text, errors);
        return;
    }
    printf("%s = %ld (depth %d, %zu nodes)\n", text, value(tree), depth(tree), used);
}

int main(void)
{
    static const char *const terms[] = { "1 + 2 * 3", "(4 + 5) * -6", "7 / 0", "8 +", "10 - 3 - 2", "((1))" };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        evaluate(terms[i]);
    printf("%zu terms, longest %zu\n", sizeof terms / sizeof *terms, strlen(terms[1]));
    return 0;
}
