// librocblas.
#include "mock.h"

int rocblas_create_handle(void **handle) {
	ENTER("rocblas_create_handle");
	*handle = malloc(1);
	return 0;
}

const char *rocblas_status_to_string(int code) { return code == 15 ? "rocblas_status_arch_mismatch" : "rocblas_status_other"; }

int rocblas_get_version_string(char *buffer, size_t length) {
	snprintf(buffer, length, "4.2.0.mock");
	return 0;
}

static enum kind kind_of(int type) { return type == 150 ? FP16 : type == 168 ? BF16 : FP32; }

int rocblas_gemm_ex(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a, int a_type, int lda, const void *b, int b_type,
                    int ldb, const float *beta, const void *c, int c_type, int ldc, void *d, int d_type, int ldd, int compute, int algorithm, int solution,
                    unsigned flags) {
	(void)handle, (void)c, (void)ldc, (void)algorithm, (void)solution;
	ENTER("rocblas_gemm_ex");
	if (a_type != b_type || a_type != c_type || a_type != d_type || compute != 151 || *beta != 0 || flags != 0)
		return 11;
	gemm("rocblas_gemm_ex", op_a == 112, op_b == 112, m, n, k, *alpha, a, lda, b, ldb, d, ldd, kind_of(a_type));
	return 0;
}

int rocblas_gemm_strided_batched_ex(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a, int a_type, int lda,
                                    int64_t stride_a, const void *b, int b_type, int ldb, int64_t stride_b, const float *beta, const void *c, int c_type,
                                    int ldc, int64_t stride_c, void *d, int d_type, int ldd, int64_t stride_d, int batch, int compute, int algorithm,
                                    int solution, unsigned flags) {
	(void)handle, (void)c, (void)ldc, (void)stride_c, (void)algorithm, (void)solution;
	ENTER("rocblas_gemm_strided_batched_ex");
	if (a_type != 151 || b_type != 151 || c_type != 151 || d_type != 151 || compute != 151 || *beta != 0 || flags != 0)
		return 11;
	for (int i = 0; i < batch; i++)
		gemm("rocblas_gemm_strided_batched_ex", op_a == 112, op_b == 112, m, n, k, *alpha, (const float *)a + i * stride_a, lda,
		     (const float *)b + i * stride_b, ldb, (float *)d + i * stride_d, ldd, FP32);
	return 0;
}
