/* SPDX-License-Identifier: Apache-2.0 */
/* Copyright 2026 The Rivulet authors */
/* Whether a day exists. */
/* run: 2024 2 29 2023 13 1 */
/* run: 2000 2 29 1900 2 29 2023 4 31 2023 0 5 2023 5 0 2023 5 32 2024 12 31 2023 6 30 2023 2 28 2024 2 30 */
#include <stdio.h>
#include <stdlib.h>

static int is_leap(int year)
{
	if ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0) {
		printf("%d has 366 days\n", year);
		return 1;
	}
	return 0;
}

static int exists(int year, int month, int day)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (month < 1 || month > 12 || day < 1)
		return 0;
	if (month == 2 && day == 29)
		return is_leap(year);
	return day <= days[month - 1];
}

int main(int argc, char **argv)
{
	for (int i = 1; i + 2 < argc; i += 3)
		printf("%d\n", exists(atoi(argv[i]), atoi(argv[i + 1]), atoi(argv[i + 2])));
	return 0;
}
