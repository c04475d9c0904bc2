// The layers of a network, as MIOpen and cuDNN compute them.
#pragma once
#include "mock.h"
#include <math.h>

struct tensor {
	int n, length[5];
};

struct conv {
	int pad_h, pad_w, stride_h, stride_w;
};

static void convolve(const char *call, struct tensor *x, const float *in, struct tensor *w, const float *weights, struct conv *conv, struct tensor *y, float *out) {
	int channels = x->length[1], height = x->length[2], width = x->length[3], kh = w->length[2], kw = w->length[3];
	int oh = y->length[2], ow = y->length[3];
	float *at = out;
	for (int n = 0; n < y->length[0]; n++)
		for (int k = 0; k < y->length[1]; k++, at += oh * ow) {
			memset(at, 0, sizeof(float) * oh * ow);
			for (int c = 0; c < channels; c++)
				for (int i = 0; i < kh; i++)
					for (int j = 0; j < kw; j++) {
						float factor = weights[((k * channels + c) * kh + i) * kw + j];
						for (int r = 0; r < oh; r++)
							for (int s = 0; s < ow; s++) {
								int h = r * conv->stride_h + i - conv->pad_h, v = s * conv->stride_w + j - conv->pad_w;
								if (h >= 0 && h < height && v >= 0 && v < width)
									at[r * ow + s] += factor * in[((n * channels + c) * height + h) * width + v];
							}
					}
		}
	leave(call, out, at - out);
}

static void softmax(const char *call, struct tensor *x, const float *in, float *out) {
	int channels = x->length[1], area = x->length[2] * x->length[3];
	for (int n = 0; n < x->length[0]; n++)
		for (int i = 0; i < area; i++) {
			const float *from = in + (long)n * channels * area + i;
			float *to = out + (long)n * channels * area + i;
			float most = from[0], sum = 0;
			for (int c = 1; c < channels; c++)
				most = from[c * area] > most ? from[c * area] : most;
			for (int c = 0; c < channels; c++)
				sum += to[c * area] = expf(from[c * area] - most);
			for (int c = 0; c < channels; c++)
				to[c * area] /= sum;
		}
	leave(call, out, (long)x->length[0] * channels * area);
}

static void batch_norm(const char *call, struct tensor *x, const float *in, float *out, const float *scale, const float *bias, const float *mean,
                       const float *variance) {
	int channels = x->length[1], area = x->length[2] * x->length[3];
	long n = (long)x->length[0] * channels * area;
	for (long i = 0; i < n; i++) {
		int c = i / area % channels;
		out[i] = (in[i] - mean[c]) / sqrtf(variance[c] + 1e-5f) * scale[c] + bias[c];
	}
	leave(call, out, n);
}
