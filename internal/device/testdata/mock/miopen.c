// libMIOpen. WITHOUT_LAYERNORM is a release that has none.
#include "layers.h"
#include <stdbool.h>

struct perf {
	int algorithm;
	float time;
	size_t memory;
};

int miopenCreate(void **handle) {
	ENTER("miopenCreate");
	*handle = malloc(1);
	return 0;
}

const char *miopenGetErrorString(int code) { return code == 7 ? "miopenStatusUnknownError" : "miopenStatusOther"; }

int miopenGetVersion(size_t *major, size_t *minor, size_t *patch) {
	*major = 3;
	*minor = 2;
	*patch = 1;
	return 0;
}

int miopenCreateTensorDescriptor(struct tensor **tensor) {
	ENTER("miopenCreateTensorDescriptor");
	*tensor = calloc(1, sizeof **tensor);
	return 0;
}

int miopenDestroyTensorDescriptor(struct tensor *tensor) {
	free(tensor);
	return 0;
}

int miopenSetTensorDescriptor(struct tensor *tensor, int type, int n, const int *lengths, const int *strides) {
	if (type != 1 || n > 5 || strides[n - 1] != 1)
		return 3;
	tensor->n = n;
	memcpy(tensor->length, lengths, n * sizeof *lengths);
	return 0;
}

int miopenCreateConvolutionDescriptor(struct conv **conv) {
	*conv = calloc(1, sizeof **conv);
	return 0;
}

int miopenDestroyConvolutionDescriptor(struct conv *conv) {
	free(conv);
	return 0;
}

int miopenInitConvolutionDescriptor(struct conv *conv, int mode, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w) {
	*conv = (struct conv){pad_h, pad_w, stride_h, stride_w};
	return mode == 0 && dilation_h == 1 && dilation_w == 1 ? 0 : 3;
}

int miopenConvolutionForwardGetWorkSpaceSize(void *handle, void *w, void *x, void *conv, void *y, size_t *bytes) {
	(void)handle, (void)w, (void)x, (void)conv, (void)y;
	ENTER("miopenConvolutionForwardGetWorkSpaceSize");
	*bytes = 4096;
	return 0;
}

int miopenFindConvolutionForwardAlgorithm(void *handle, void *x, const void *x_data, void *w, const void *w_data, void *conv, void *y, void *y_data, int wanted,
                                          int *found, struct perf *results, void *workspace, size_t bytes, bool exhaustive) {
	(void)handle, (void)x, (void)x_data, (void)w, (void)w_data, (void)conv, (void)y, (void)y_data, (void)wanted;
	*found = 0;
	ENTER("miopenFindConvolutionForwardAlgorithm");
	if (!workspace || bytes != 4096 || exhaustive)
		return 3;
	*results = (struct perf){5, 0.1f, 4096};
	*found = 1;
	return 0;
}

int miopenConvolutionForward(void *handle, const float *alpha, struct tensor *x, const float *in, struct tensor *w, const float *weights, struct conv *conv,
                             int algorithm, const float *beta, struct tensor *y, float *out, void *workspace, size_t bytes) {
	(void)handle, (void)workspace, (void)bytes;
	ENTER("miopenConvolutionForward");
	if (algorithm != 5 || *alpha != 1 || *beta != 0)
		return 3;
	convolve("miopenConvolutionForward", x, in, w, weights, conv, y, out);
	return 0;
}

int miopenSoftmaxForward_V2(void *handle, const float *alpha, struct tensor *x, const float *in, const float *beta, struct tensor *y, float *out, int algorithm,
                            int mode) {
	(void)handle, (void)alpha, (void)beta, (void)y;
	ENTER("miopenSoftmaxForward_V2");
	if (algorithm != 1 || mode != 1)
		return 3;
	softmax("miopenSoftmaxForward_V2", x, in, out);
	return 0;
}

int miopenBatchNormalizationForwardInference(void *handle, int mode, const float *alpha, const float *beta, struct tensor *x, const float *in, struct tensor *y,
                                             float *out, struct tensor *parameters, const float *scale, const float *bias, const float *mean,
                                             const float *variance, double epsilon) {
	(void)handle, (void)alpha, (void)beta, (void)y;
	ENTER("miopenBatchNormalizationForwardInference");
	if (mode != 1 || parameters->length[1] != x->length[1] || epsilon != 1e-5)
		return 3;
	batch_norm("miopenBatchNormalizationForwardInference", x, in, out, scale, bias, mean, variance);
	return 0;
}

#ifndef WITHOUT_LAYERNORM
int miopenLayerNormForward(void *handle, int mode, struct tensor *x, const float *in, void *w, const float *weight, void *b, const float *bias, float epsilon,
                           int32_t dimension, void *y, float *out, void *m, float *means, void *d, float *deviations) {
	(void)handle, (void)w, (void)b, (void)y, (void)m, (void)d;
	ENTER("miopenLayerNormForward");
	if (mode != 1 || dimension != 1 || epsilon != 1e-5f)
		return 3;
	int rows = x->length[0], columns = x->length[1];
	for (int r = 0; r < rows; r++) {
		const float *from = in + r * columns;
		float mean = 0, squares = 0;
		for (int i = 0; i < columns; i++)
			mean += from[i];
		means[r] = mean /= columns;
		for (int i = 0; i < columns; i++)
			squares += (from[i] - mean) * (from[i] - mean);
		deviations[r] = 1 / sqrtf(squares / columns + epsilon);
		for (int i = 0; i < columns; i++)
			out[r * columns + i] = (from[i] - mean) * deviations[r] * weight[i] + bias[i];
	}
	leave("miopenLayerNormForward", out, (long)rows * columns);
	return 0;
}
#endif
