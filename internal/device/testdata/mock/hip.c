// libamdhip64: memory is malloc's, and a kernel's launch does in C what the
// kernel of that name does. MAJOR is its version; R0000 and R0600 say which
// layouts of the properties it knows; WITHOUT_MEMGETINFO leaves a symbol out.
#include "mock.h"
#include <math.h>

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

int hipModuleLaunchKernel(void *function, unsigned blocks, unsigned gy, unsigned gz, unsigned threads, unsigned by, unsigned bz, unsigned shared, void *stream,
                          void **arguments, void **extra) {
	(void)gy, (void)gz, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
	const char *name = function;
	ENTER("hipModuleLaunchKernel");
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
