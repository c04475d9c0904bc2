// libhipblaslt.
#include "mock.h"

struct layout {
	int type;
	uint64_t rows, columns;
	int64_t width;
};

struct desc {
	int compute, scale, op_a, op_b;
};

int hipblasLtCreate(void **handle) {
	ENTER("hipblasLtCreate");
	*handle = malloc(1);
	return 0;
}

int hipblasLtGetVersion(void *handle, int *version) {
	(void)handle;
	*version = 100 * 10 + 2;
	return 0;
}

int hipblasLtMatrixLayoutCreate(struct layout **layout, int type, uint64_t rows, uint64_t columns, int64_t width) {
	*layout = malloc(sizeof **layout);
	**layout = (struct layout){type, rows, columns, width};
	return 0;
}

int hipblasLtMatrixLayoutDestroy(struct layout *layout) {
	free(layout);
	return 0;
}

int hipblasLtMatmulDescCreate(struct desc **desc, int compute, int scale) {
	*desc = malloc(sizeof **desc);
	**desc = (struct desc){compute, scale, 111, 111};
	return compute == 2 && scale == 0 ? 0 : 3;
}

int hipblasLtMatmulDescDestroy(struct desc *desc) {
	free(desc);
	return 0;
}

int hipblasLtMatmulDescSetAttribute(struct desc *desc, int attribute, const int *value, size_t bytes) {
	if (bytes != 4 || attribute > 1)
		return 3;
	*(attribute == 0 ? &desc->op_a : &desc->op_b) = *value;
	return 0;
}

int hipblasLtMatmulPreferenceCreate(void **preference) {
	*preference = malloc(1);
	return 0;
}

int hipblasLtMatmulPreferenceDestroy(void *preference) {
	free(preference);
	return 0;
}

int hipblasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const uint64_t *value, size_t bytes) {
	(void)preference;
	return attribute == 1 && bytes == 8 && *value > 0 ? 0 : 3;
}

int hipblasLtMatmulAlgoGetHeuristic(void *handle, struct desc *desc, struct layout *a, struct layout *b, struct layout *c, struct layout *d, void *preference,
                                    int wanted, char *results, int *found) {
	(void)handle, (void)desc, (void)a, (void)b, (void)c, (void)d, (void)preference, (void)wanted;
	*found = 0;
	ENTER("hipblasLtMatmulAlgoGetHeuristic");
	strcpy(results, "algorithm");
	*found = 1;
	return 0;
}

int hipblasLtMatmul(void *handle, struct desc *desc, const float *alpha, const void *a, struct layout *la, const void *b, struct layout *lb, const float *beta,
                    const void *c, struct layout *lc, void *d, struct layout *ld, const char *algorithm, void *workspace, size_t bytes, void *stream) {
	(void)handle, (void)c, (void)lc, (void)workspace, (void)bytes, (void)stream;
	ENTER("hipblasLtMatmul");
	if (strcmp(algorithm, "algorithm") != 0 || *beta != 0)
		return 3;
	int turn_a = desc->op_a == 112, turn_b = desc->op_b == 112, k = turn_a ? la->rows : la->columns;
	gemm("hipblasLtMatmul", turn_a, turn_b, ld->rows, ld->columns, k, *alpha, a, la->width, b, lb->width, d, ld->width,
	     la->type == 2 ? FP16 : la->type == 14 ? BF16 : FP32);
	return 0;
}
