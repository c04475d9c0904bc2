// libcublas.
#include "mock.h"

int cublasCreate_v2(void **handle) {
	ENTER("cublasCreate_v2");
	*handle = malloc(1);
	return 0;
}

int cublasGetVersion_v2(void *handle, int *version) {
	(void)handle;
	*version = 130002;
	return 0;
}

const char *cublasGetStatusString(int code) { return code == 8 ? "CUBLAS_STATUS_ARCH_MISMATCH" : "CUBLAS_STATUS_OTHER"; }

static enum kind kind_of(int type) { return type == 2 ? FP16 : type == 14 ? BF16 : FP32; }

int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a, int a_type, int lda, const void *b, int b_type,
                 int ldb, const float *beta, void *c, int c_type, int ldc, int compute, int algorithm) {
	(void)handle;
	ENTER("cublasGemmEx");
	if (a_type != b_type || a_type != c_type || compute != 68 || algorithm != -1 || *beta != 0)
		return 7;
	gemm("cublasGemmEx", op_a, op_b, m, n, k, *alpha, a, lda, b, ldb, c, ldc, kind_of(a_type));
	return 0;
}

int cublasGemmStridedBatchedEx(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a, int a_type, int lda, long long stride_a,
                               const void *b, int b_type, int ldb, long long stride_b, const float *beta, void *c, int c_type, int ldc, long long stride_c,
                               int batch, int compute, int algorithm) {
	(void)handle;
	ENTER("cublasGemmStridedBatchedEx");
	if (a_type != 0 || b_type != 0 || c_type != 0 || compute != 68 || algorithm != -1 || *beta != 0)
		return 7;
	for (int i = 0; i < batch; i++)
		gemm("cublasGemmStridedBatchedEx", op_a, op_b, m, n, k, *alpha, (const float *)a + i * stride_a, lda, (const float *)b + i * stride_b, ldb,
		     (float *)c + i * stride_c, ldc, FP32);
	return 0;
}
