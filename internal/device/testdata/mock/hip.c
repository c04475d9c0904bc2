// libamdhip64: memory is malloc's, and a kernel's launch does in C what the
// kernel of that name does. MAJOR is its version; R0000 and R0600 say which
// layouts of the properties it knows; WITHOUT_MEMGETINFO leaves a symbol out.
#include "kernels.h"

int hipInit(unsigned flags) {
	(void)flags;
	ENTER("hipInit");
	return 0;
}

int hipGetDeviceCount(int *count) {
	ENTER("hipGetDeviceCount");
	*count = getenv("MOCK_GPUS") ? atoi(getenv("MOCK_GPUS")) : 1;
	return 0;
}

int hipSetDevice(int device) {
	(void)device;
	ENTER("hipSetDevice");
	return 0;
}

int hipDeviceGetName(char *name, int length, int device) {
	ENTER("hipDeviceGetName");
	snprintf(name, length, "Mock GPU %d", device);
	return 0;
}

int hipDeviceGetPCIBusId(char *name, int length, int device) {
	snprintf(name, length, "0000:%02x:00.0", 3 + device);
	return 0;
}

#ifdef R0600
int hipGetDevicePropertiesR0600(char *properties, int device) {
	(void)device;
	ENTER("hipGetDevicePropertiesR0600");
	memset(properties, 0, 1472);
	strcpy(properties, "Mock GPU");
	strcpy(properties + 1160, "gfx1100");
	return 0;
}
#endif

#ifdef R0000
int hipGetDevicePropertiesR0000(char *properties, int device) {
	(void)device;
	ENTER("hipGetDevicePropertiesR0000");
	memset(properties, 0, 792);
	strcpy(properties, "Mock GPU");
	strcpy(properties + 396, "gfx906:sramecc+:xnack-");
	return 0;
}
#endif

// The layout of the function without a version in its name depends on the
// release: who calls it is wrong.
int hipGetDeviceProperties(char *properties, int device) {
	(void)properties, (void)device;
	abort();
}

int hipRuntimeGetVersion(int *version) {
	ENTER("hipRuntimeGetVersion");
	*version = MAJOR * 10000000 + 2 * 100000 + 12345;
	return 0;
}

int hipDriverGetVersion(int *version) { return hipRuntimeGetVersion(version); }

#ifndef WITHOUT_MEMGETINFO
int hipMemGetInfo(size_t *left, size_t *total) {
	ENTER("hipMemGetInfo");
	*left = 20ull << 30;
	*total = 24ull << 30;
	return 0;
}
#endif

int hipMalloc(void **p, size_t bytes) {
	ENTER("hipMalloc");
	*p = malloc(bytes);
	return *p ? 0 : 2;
}

int hipFree(void *p) {
	free(p);
	return 0;
}

int hipMemset(void *p, int value, size_t bytes) {
	ENTER("hipMemset");
	memset(p, value, bytes);
	return 0;
}

int hipMemcpy(char *to, const char *from, size_t bytes, int kind) {
	ENTER("hipMemcpy");
	memcpy(to, from, bytes);
	if (acts("hipMemcpy", "wrong") && kind == 2 && bytes > 1000)
		to[1000] ^= 1;
	return 0;
}

int hipDeviceSynchronize(void) {
	ENTER("hipDeviceSynchronize");
	return 0;
}

int hipGetLastError(void) {
	ENTER("hipGetLastError");
	return 0;
}

const char *hipGetErrorName(int code) {
	static char name[64];
	snprintf(name, sizeof name, "mockError%d", code);
	return name;
}

const char *hipGetErrorString(int code) {
	(void)code;
	return "the mock's words";
}

int hipModuleLoadData(void **module, const void *image) {
	ENTER("hipModuleLoadData");
	*module = (void *)image;
	return memcmp(image, "MOCKCODE", 8) == 0 ? 0 : 200;
}

int hipModuleGetFunction(void **function, void *module, const char *name) {
	(void)module;
	ENTER("hipModuleGetFunction");
	*function = strdup(name);
	return 0;
}

int hipModuleLaunchKernel(void *function, unsigned blocks, unsigned gy, unsigned gz, unsigned threads, unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **arguments, void **extra) {
	(void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
	ENTER("hipModuleLaunchKernel");
	return run_kernel(function, blocks, threads, arguments);
}
