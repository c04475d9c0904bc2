// libcuda.
#include "kernels.h"

static int current;

int cuInit(unsigned flags) {
	(void)flags;
	ENTER("cuInit");
	return 0;
}

int cuDriverGetVersion(int *version) {
	*version = 13000;
	return 0;
}

int cuDeviceGetCount(int *count) {
	ENTER("cuDeviceGetCount");
	*count = 1;
	return 0;
}

int cuDeviceGetName(char *name, int length, int device) {
	snprintf(name, length, "Mock GPU %d", device);
	return 0;
}

int cuDeviceGetPCIBusId(char *name, int length, int device) {
	snprintf(name, length, "0000:%02x:00.0", 6 + device);
	return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
	(void)device;
	ENTER("cuDeviceGetAttribute");
	*value = attribute == 75 ? 9 : 0;
	return attribute == 75 || attribute == 76 ? 0 : 1;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
	(void)device;
	ENTER("cuDevicePrimaryCtxRetain");
	*context = &current;
	return 0;
}

int cuCtxSetCurrent(void *context) {
	current = context == &current;
	return current ? 0 : 201;
}

int cuCtxSynchronize(void) {
	ENTER("cuCtxSynchronize");
	return 0;
}

int cuMemGetInfo_v2(size_t *left, size_t *total) {
	*left = 20ull << 30;
	*total = 24ull << 30;
	return 0;
}

// A context must be in use, as with the real one.
int cuMemAlloc_v2(void **p, size_t bytes) {
	ENTER("cuMemAlloc_v2");
	*p = malloc(bytes);
	return current ? 0 : 201;
}

int cuMemFree_v2(void *p) {
	free(p);
	return 0;
}

int cuMemsetD8_v2(void *p, unsigned char value, size_t bytes) {
	memset(p, value, bytes);
	return 0;
}

int cuMemcpyHtoD_v2(void *to, const void *from, size_t bytes) {
	ENTER("cuMemcpyHtoD_v2");
	memcpy(to, from, bytes);
	return 0;
}

int cuMemcpyDtoH_v2(void *to, const void *from, size_t bytes) {
	memcpy(to, from, bytes);
	return 0;
}

int cuMemcpyDtoD_v2(void *to, const void *from, size_t bytes) {
	memcpy(to, from, bytes);
	return 0;
}

int cuGetErrorName(int code, const char **name) {
	*name = code == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OTHER";
	return 0;
}

int cuModuleLoadData(void **module, const void *image) {
	ENTER("cuModuleLoadData");
	*module = (void *)image;
	return memcmp(image, "MOCKCODE", 8) == 0 ? 0 : 200;
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
	(void)module;
	*function = strdup(name);
	return 0;
}

int cuLaunchKernel(void *function, unsigned blocks, unsigned gy, unsigned gz, unsigned threads, unsigned by, unsigned bz, unsigned shared, void *stream,
                   void **arguments, void **extra) {
	(void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
	ENTER("cuLaunchKernel");
	return run_kernel(function, blocks, threads, arguments);
}
