/* Asks the real HIP library how many GPUs it sees, and prints its words. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int count = -1, code;
	void *lib = dlopen(argc > 1 ? argv[1] : "libamdhip64.so", RTLD_NOW);
	if (!lib) {
		printf("dlopen: %s\n", dlerror());
		return 2;
	}
	int (*init)(unsigned) = (int (*)(unsigned))dlsym(lib, "hipInit");
	int (*devices)(int *) = (int (*)(int *))dlsym(lib, "hipGetDeviceCount");
	const char *(*name)(int) = (const char *(*)(int))dlsym(lib, "hipGetErrorName");
	const char *(*text)(int) = (const char *(*)(int))dlsym(lib, "hipGetErrorString");
	if (!init || !devices || !name || !text) {
		printf("dlsym: %s\n", dlerror());
		return 2;
	}
	code = init(0);
	printf("hipInit: %d %s: %s\n", code, name(code), text(code));
	code = devices(&count);
	printf("hipGetDeviceCount: %d %s: %s, count %d\n", code, name(code), text(code), count);
	return 0;
}
