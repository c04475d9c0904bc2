// The kernels that a probe compiles on the spot, for HIP and CUDA alike. Only
// what both compilers know by themselves is used: they are given no headers.

#if defined(__HIPCC_RTC__) || defined(__HIP__)
#define SHIFT_DOWN(value, by) __shfl_down(value, by)
#else
#define SHIFT_DOWN(value, by) __shfl_down_sync(0xffffffffu, value, by)
#endif

extern "C" __global__ void rocsmith_add(const float *a, const float *b, float *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = a[i] + b[i];
}

// Sums blocks of 256 by shifts within a wavefront and shared memory between
// them: wrong where code was built for wavefronts of another width.
extern "C" __global__ void rocsmith_reduce(const float *in, float *out, int n) {
	__shared__ float part[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = i < n ? in[i] : 0.0f;
	for (int by = warpSize / 2; by > 0; by /= 2)
		sum += SHIFT_DOWN(sum, by);
	if (threadIdx.x % warpSize == 0)
		part[threadIdx.x / warpSize] = sum;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (int w = 1; w < blockDim.x / warpSize; w++)
			sum += part[w];
		out[blockIdx.x] = sum;
	}
}

// One block of 16×16 threads moves a tile through shared memory.
extern "C" __global__ void rocsmith_transpose(const float *in, float *out, int rows, int columns) {
	__shared__ float tile[16][17];
	int tiles = (columns + 15) / 16;
	int top = blockIdx.x / tiles * 16, left = blockIdx.x % tiles * 16;
	int y = threadIdx.x / 16, x = threadIdx.x % 16;
	if (top + y < rows && left + x < columns)
		tile[y][x] = in[(top + y) * columns + left + x];
	__syncthreads();
	if (top + x < rows && left + y < columns)
		out[(left + y) * rows + top + x] = tile[x][y];
}

__device__ float total(float *part) {
	for (int by = blockDim.x / 2; by > 0; by /= 2) {
		__syncthreads();
		if (threadIdx.x < by)
			part[threadIdx.x] += part[threadIdx.x + by];
	}
	__syncthreads();
	float sum = part[0];
	__syncthreads();
	return sum;
}

// One block a row.
extern "C" __global__ void rocsmith_softmax(const float *in, float *out, int columns) {
	__shared__ float part[256];
	const float *row = in + blockIdx.x * columns;
	float most = -3.4e38f;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		most = row[i] > most ? row[i] : most;
	part[threadIdx.x] = most;
	for (int by = blockDim.x / 2; by > 0; by /= 2) {
		__syncthreads();
		if (threadIdx.x < by && part[threadIdx.x + by] > part[threadIdx.x])
			part[threadIdx.x] = part[threadIdx.x + by];
	}
	__syncthreads();
	most = part[0];
	__syncthreads();
	float sum = 0.0f;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += expf(row[i] - most);
	part[threadIdx.x] = sum;
	sum = total(part);
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		out[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}

// One block a row.
extern "C" __global__ void rocsmith_layernorm(const float *in, const float *weight, const float *bias, float *out, int columns) {
	__shared__ float part[256];
	const float *row = in + blockIdx.x * columns;
	float sum = 0.0f, squares = 0.0f;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		sum += row[i];
	part[threadIdx.x] = sum;
	float mean = total(part) / columns;
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		squares += (row[i] - mean) * (row[i] - mean);
	part[threadIdx.x] = squares;
	float scale = 1.0f / sqrtf(total(part) / columns + 1e-5f);
	for (int i = threadIdx.x; i < columns; i += blockDim.x)
		out[blockIdx.x * columns + i] = (row[i] - mean) * scale * weight[i] + bias[i];
}
