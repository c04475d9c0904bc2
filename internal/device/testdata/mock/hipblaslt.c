// libhipblaslt, and with CUBLAS libcublasLt: they differ in names and numbers.
#include "mock.h"

#ifdef CUBLAS
#define LT(name) cublasLt##name
enum { COMPUTE_32F = 68, OP_A = 3, OP_B = 4, NONE = 0, TRANSPOSE = 1 };
#else
#define LT(name) hipblasLt##name
enum { COMPUTE_32F = 2, OP_A = 0, OP_B = 1, NONE = 111, TRANSPOSE = 112 };
#endif
#define TEXT(name) #name
#define CALL(name) TEXT(name)

struct layout {
	int type;
	uint64_t rows, columns;
	int64_t width;
};

struct desc {
	int compute, scale, op_a, op_b;
};

int LT(Create)(void **handle) {
	ENTER(CALL(LT(Create)));
	*handle = malloc(1);
	return 0;
}

#ifdef CUBLAS
size_t cublasLtGetVersion(void) { return 130002; }

const char *cublasLtGetStatusString(int code) { return code == 8 ? "CUBLAS_STATUS_ARCH_MISMATCH" : "CUBLAS_STATUS_OTHER"; }
#else
int hipblasLtGetVersion(void *handle, int *version) {
	(void)handle;
	*version = 100 * 10 + 2;
	return 0;
}
#endif

int LT(MatrixLayoutCreate)(struct layout **layout, int type, uint64_t rows, uint64_t columns, int64_t width) {
	*layout = malloc(sizeof **layout);
	**layout = (struct layout){type, rows, columns, width};
	return 0;
}

int LT(MatrixLayoutDestroy)(struct layout *layout) {
	free(layout);
	return 0;
}

int LT(MatmulDescCreate)(struct desc **desc, int compute, int scale) {
	*desc = malloc(sizeof **desc);
	**desc = (struct desc){compute, scale, NONE, NONE};
	return compute == COMPUTE_32F && scale == 0 ? 0 : 3;
}

int LT(MatmulDescDestroy)(struct desc *desc) {
	free(desc);
	return 0;
}

int LT(MatmulDescSetAttribute)(struct desc *desc, int attribute, const int *value, size_t bytes) {
	if (bytes != 4 || (attribute != OP_A && attribute != OP_B))
		return 3;
	*(attribute == OP_A ? &desc->op_a : &desc->op_b) = *value;
	return 0;
}

int LT(MatmulPreferenceCreate)(void **preference) {
	*preference = malloc(1);
	return 0;
}

int LT(MatmulPreferenceDestroy)(void *preference) {
	free(preference);
	return 0;
}

int LT(MatmulPreferenceSetAttribute)(void *preference, int attribute, const uint64_t *value, size_t bytes) {
	(void)preference;
	return attribute == 1 && bytes == 8 && *value > 0 ? 0 : 3;
}

int LT(MatmulAlgoGetHeuristic)(void *handle, struct desc *desc, struct layout *a, struct layout *b, struct layout *c, struct layout *d, void *preference,
                                    int wanted, char *results, int *found) {
	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)wanted;
	*found = 0;
	ENTER(CALL(LT(MatmulAlgoGetHeuristic)));
	strcpy(results, "algorithm");
	*found = 1;
	return 0;
}

int LT(Matmul)(void *handle, struct desc *desc, const float *alpha, const void *a, struct layout *la, const void *b, struct layout *lb, const float *beta,
                    const void *c, struct layout *lc, void *d, struct layout *ld, const char *algorithm, void *workspace, size_t bytes, void *stream) {
	(void)handle, (void)c, (void)lc, (void)workspace, (void)bytes, (void)stream;
	ENTER(CALL(LT(Matmul)));
	if (strcmp(algorithm, "algorithm") != 0 || *beta != 0)
		return 3;
	int turn_a = desc->op_a == TRANSPOSE, turn_b = desc->op_b == TRANSPOSE, k = turn_a ? la->rows : la->columns;
	gemm(CALL(LT(Matmul)), turn_a, turn_b, ld->rows, ld->columns, k, *alpha, a, la->width, b, lb->width, d, ld->width,
	     la->type == 2 ? FP16 : la->type == 14 ? BF16 : FP32);
	return 0;
}
