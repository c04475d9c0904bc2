// Compiles a file by the runtime compiler of a HIP library, which needs no GPU:
// hiprtc LIBRARY FILE TARGET… prints "TARGET: CODE BYTES", and what it says.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int (*create)(void **, const char *, const char *, int, const char **, const char **);
static int (*compile)(void *, int, const char **);
static int (*log_size)(void *, size_t *), (*get_log)(void *, char *), (*code_size)(void *, size_t *);

static void try(const char *source, const char *target) {
	char option[256];
	const char *options[] = {option};
	void *program;
	size_t size = 0;
	snprintf(option, sizeof option, "--offload-arch=%s", target);
	int code = create(&program, source, "kernels.cu", 0, NULL, NULL);
	if (code == 0 && (code = compile(program, 1, options)) != 0 && log_size(program, &size) == 0 && size > 0) {
		char *log = calloc(1, size + 1);
		get_log(program, log);
		fprintf(stderr, "%s\n", log);
	}
	size = 0;
	if (code == 0)
		code_size(program, &size);
	printf("%s: %d %zu\n", target, code, size);
}

int main(int argc, char **argv) {
	static char source[1 << 20];
	void *library = argc > 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	FILE *file = library ? fopen(argv[2], "r") : NULL;
	if (!file || fread(source, 1, sizeof source - 1, file) == 0) {
		fprintf(stderr, "hiprtc LIBRARY FILE TARGET…: %s\n", library ? "no file" : dlerror());
		return 2;
	}
	*(void **)&create = dlsym(library, "hiprtcCreateProgram");
	*(void **)&compile = dlsym(library, "hiprtcCompileProgram");
	*(void **)&log_size = dlsym(library, "hiprtcGetProgramLogSize");
	*(void **)&get_log = dlsym(library, "hiprtcGetProgramLog");
	*(void **)&code_size = dlsym(library, "hiprtcGetCodeSize");
	for (int i = 3; i < argc; i++)
		try(source, argv[i]);
	return 0;
}
