// What the mock libraries share. MOCK="call=action call=action" makes a call
// misbehave: a number is returned; segv, abort, exit and hang do so; wrong, nan
// and zero spoil the numbers, nothing leaves them unwritten; print prints.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *action(const char *call) {
	const char *at = getenv("MOCK");
	size_t n = strlen(call);
	while (at && *at) {
		if (strncmp(at, call, n) == 0 && at[n] == '=')
			return at + n + 1;
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return "";
}

static int acts(const char *call, const char *how) {
	const char *what = action(call);
	return strncmp(what, how, strlen(how)) == 0;
}

static int enter(const char *call) {
	static volatile uintptr_t nowhere = 8;
	if (acts(call, "segv"))
		*(volatile int *)nowhere = 1;
	if (acts(call, "abort")) {
		fprintf(stderr, "mock: %s aborts\n", call);
		abort();
	}
	if (acts(call, "exit"))
		exit(3);
	if (acts(call, "print")) {
		printf("mock: %s prints\n", call);
		fflush(stdout);
	}
	if (acts(call, "hang")) {
		fprintf(stderr, "mock: %s hangs\n", call);
		for (;;)
			pause();
	}
	return atoi(action(call));
}

// leave spoils results. The numbers stay finite and of the right size.
static void leave(const char *call, float *values, long n) {
	if (acts(call, "wrong"))
		for (long i = 0; i < n / 2; i++) {
			float v = values[i];
			values[i] = values[n - 1 - i];
			values[n - 1 - i] = v;
		}
	if (acts(call, "nan") && n > 7)
		values[7] = 0.0f / 0.0f;
	if (acts(call, "zero"))
		memset(values, 0, n * sizeof *values);
}

#define ENTER(call)                                                                                                                                          \
	do {                                                                                                                                                     \
		int code = enter(call);                                                                                                                              \
		if (code)                                                                                                                                            \
			return code;                                                                                                                                     \
		if (acts(call, "nothing"))                                                                                                                           \
			return 0;                                                                                                                                        \
	} while (0)

static float from_half(uint16_t h) {
	_Float16 f;
	memcpy(&f, &h, 2);
	return (float)f;
}

static uint16_t to_half(float v) {
	_Float16 f = (_Float16)v;
	uint16_t h;
	memcpy(&h, &f, 2);
	return h;
}

static float from_brain(uint16_t b) {
	uint32_t bits = (uint32_t)b << 16;
	float v;
	memcpy(&v, &bits, 4);
	return v;
}

static uint16_t to_brain(float v) {
	uint32_t bits;
	memcpy(&bits, &v, 4);
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

enum kind { FP32, FP16, BF16 };

static float element(const void *from, long i, enum kind kind) {
	if (kind == FP16)
		return from_half(((const uint16_t *)from)[i]);
	if (kind == BF16)
		return from_brain(((const uint16_t *)from)[i]);
	return ((const float *)from)[i];
}

// gemm multiplies column by column, as BLAS does: C = alpha·op(A)·op(B).
static void gemm(const char *call, int turn_a, int turn_b, int m, int n, int k, float alpha, const void *a, int lda, const void *b, int ldb, void *c, int ldc,
                 enum kind kind) {
	float *left = malloc(sizeof(float) * m * k), *sums = malloc(sizeof(float) * m * n);
	for (int l = 0; l < k; l++)
		for (int i = 0; i < m; i++)
			left[(long)l * m + i] = element(a, turn_a ? (long)i * lda + l : (long)l * lda + i, kind);
	memset(sums, 0, sizeof(float) * m * n);
	for (int j = 0; j < n; j++)
		for (int l = 0; l < k; l++) {
			float factor = element(b, turn_b ? (long)l * ldb + j : (long)j * ldb + l, kind);
			float *column = sums + (long)j * m;
			const float *with = left + (long)l * m;
			for (int i = 0; i < m; i++)
				column[i] += with[i] * factor;
		}
	leave(call, sums, (long)m * n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			float v = alpha * sums[(long)j * m + i];
			long at = (long)j * ldc + i;
			if (kind == FP16)
				((uint16_t *)c)[at] = to_half(v);
			else if (kind == BF16)
				((uint16_t *)c)[at] = to_brain(v);
			else
				((float *)c)[at] = v;
		}
	free(left);
	free(sums);
}
