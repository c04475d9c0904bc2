// What the launch of a kernel does, by its name.
#pragma once
#include "mock.h"
#include <math.h>

static void softmax(const float *in, float *out, int columns) {
	float most = in[0], sum = 0;
	for (int i = 1; i < columns; i++)
		most = in[i] > most ? in[i] : most;
	for (int i = 0; i < columns; i++)
		sum += out[i] = expf(in[i] - most);
	for (int i = 0; i < columns; i++)
		out[i] /= sum;
}

static void layernorm(const float *in, const float *weight, const float *bias, float *out, int columns) {
	float mean = 0, squares = 0;
	for (int i = 0; i < columns; i++)
		mean += in[i];
	mean /= columns;
	for (int i = 0; i < columns; i++)
		squares += (in[i] - mean) * (in[i] - mean);
	float scale = 1 / sqrtf(squares / columns + 1e-5f);
	for (int i = 0; i < columns; i++)
		out[i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

#define FLOATS(i) (*(float **)arguments[i])
#define NUMBER(i) (*(int *)arguments[i])

static int run_kernel(const char *name, unsigned blocks, unsigned threads, void **arguments) {
	ENTER(name);
	if (strcmp(name, "rocsmith_add") == 0) {
		for (int i = 0; i < NUMBER(3); i++)
			FLOATS(2)[i] = FLOATS(0)[i] + FLOATS(1)[i];
		leave(name, FLOATS(2), NUMBER(3));
	} else if (strcmp(name, "rocsmith_reduce") == 0) {
		for (unsigned b = 0; b < blocks; b++) {
			float sum = 0;
			for (unsigned i = 0; i < threads; i++)
				sum += FLOATS(0)[b * threads + i];
			FLOATS(1)[b] = sum;
		}
		leave(name, FLOATS(1), blocks);
	} else if (strcmp(name, "rocsmith_transpose") == 0) {
		int rows = NUMBER(2), columns = NUMBER(3);
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				FLOATS(1)[j * rows + i] = FLOATS(0)[i * columns + j];
		leave(name, FLOATS(1), (long)rows * columns);
	} else if (strcmp(name, "rocsmith_softmax") == 0) {
		int columns = NUMBER(2);
		for (unsigned b = 0; b < blocks; b++)
			softmax(FLOATS(0) + b * columns, FLOATS(1) + b * columns, columns);
		leave(name, FLOATS(1), (long)blocks * columns);
	} else if (strcmp(name, "rocsmith_layernorm") == 0) {
		int columns = NUMBER(4);
		for (unsigned b = 0; b < blocks; b++)
			layernorm(FLOATS(0) + b * columns, FLOATS(1), FLOATS(2), FLOATS(3) + b * columns, columns);
		leave(name, FLOATS(3), (long)blocks * columns);
	} else {
		return 98;
	}
	return 0;
}
