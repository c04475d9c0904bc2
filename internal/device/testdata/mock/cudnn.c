// libcudnn.
#include "layers.h"

int cudnnCreate(void **handle) {
	ENTER("cudnnCreate");
	*handle = malloc(1);
	return 0;
}

const char *cudnnGetErrorString(int code) { return code == 6 ? "CUDNN_STATUS_ARCH_MISMATCH" : "CUDNN_STATUS_OTHER"; }

size_t cudnnGetVersion(void) { return 91300; }

int cudnnCreateTensorDescriptor(struct tensor **tensor) {
	*tensor = calloc(1, sizeof **tensor);
	return 0;
}

int cudnnDestroyTensorDescriptor(struct tensor *tensor) {
	free(tensor);
	return 0;
}

int cudnnSetTensor4dDescriptor(struct tensor *tensor, int format, int type, int n, int c, int h, int w) {
	*tensor = (struct tensor){4, {n, c, h, w}};
	return format == 0 && type == 0 ? 0 : 3;
}

int cudnnCreateFilterDescriptor(struct tensor **filter) { return cudnnCreateTensorDescriptor(filter); }

int cudnnDestroyFilterDescriptor(struct tensor *filter) { return cudnnDestroyTensorDescriptor(filter); }

int cudnnSetFilter4dDescriptor(struct tensor *filter, int type, int format, int k, int c, int h, int w) {
	return cudnnSetTensor4dDescriptor(filter, format, type, k, c, h, w);
}

int cudnnCreateConvolutionDescriptor(struct conv **conv) {
	*conv = calloc(1, sizeof **conv);
	return 0;
}

int cudnnDestroyConvolutionDescriptor(struct conv *conv) {
	free(conv);
	return 0;
}

int cudnnSetConvolution2dDescriptor(struct conv *conv, int pad_h, int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w, int mode, int compute) {
	*conv = (struct conv){pad_h, pad_w, stride_h, stride_w};
	return dilation_h == 1 && dilation_w == 1 && mode == 1 && compute == 0 ? 0 : 3;
}

int cudnnSetConvolutionMathType(struct conv *conv, int math) {
	(void)conv;
	return math == 3 ? 0 : 3;
}

int cudnnConvolutionForward(void *handle, const float *alpha, struct tensor *x, const float *in, struct tensor *w, const float *weights, struct conv *conv,
                            int algorithm, void *workspace, size_t bytes, const float *beta, struct tensor *y, float *out) {
	(void)handle, (void)workspace;
	ENTER("cudnnConvolutionForward");
	if (algorithm != 0 || bytes != 0 || *alpha != 1 || *beta != 0)
		return 3;
	convolve("cudnnConvolutionForward", x, in, w, weights, conv, y, out);
	return 0;
}

int cudnnSoftmaxForward(void *handle, int algorithm, int mode, const float *alpha, struct tensor *x, const float *in, const float *beta, struct tensor *y,
                        float *out) {
	(void)handle, (void)y;
	ENTER("cudnnSoftmaxForward");
	if (algorithm != 1 || mode != 1 || *alpha != 1 || *beta != 0)
		return 3;
	softmax("cudnnSoftmaxForward", x, in, out);
	return 0;
}

int cudnnBatchNormalizationForwardInference(void *handle, int mode, const float *alpha, const float *beta, struct tensor *x, const float *in, struct tensor *y,
                                            float *out, struct tensor *parameters, const float *scale, const float *bias, const float *mean,
                                            const float *variance, double epsilon) {
	(void)handle, (void)y;
	ENTER("cudnnBatchNormalizationForwardInference");
	if (mode != 1 || *alpha != 1 || *beta != 0 || parameters->length[1] != x->length[1] || epsilon != 1e-5)
		return 3;
	batch_norm("cudnnBatchNormalizationForwardInference", x, in, out, scale, bias, mean, variance);
	return 0;
}
