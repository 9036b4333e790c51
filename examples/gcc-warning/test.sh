#!/bin/sh
# The program compiles, and gcc warns of a division by zero that it has worked out itself.
gcc -O2 -Wall -c program.c -o out.o 2>log && grep -q 'Wdiv-by-zero' log
