// libhiprtc: "compiles" a source that holds the kernels, for a target that it
// is told.
#include "mock.h"

struct program {
	char *source;
};

int hiprtcCreateProgram(struct program **program, const char *source, const char *name, int headers, const char **bodies, const char **names) {
	(void)name, (void)headers, (void)bodies, (void)names;
	ENTER("hiprtcCreateProgram");
	*program = malloc(sizeof **program);
	(*program)->source = strdup(source);
	return 0;
}

int hiprtcCompileProgram(struct program *program, int options, const char **values) {
	ENTER("hiprtcCompileProgram");
	if (!strstr(program->source, "rocsmith_softmax"))
		return 6;
	for (int i = 0; i < options; i++)
		if (strncmp(values[i], "--offload-arch=gfx", 18) != 0)
			return 5;
	return 0;
}

int hiprtcDestroyProgram(struct program **program) {
	free((*program)->source);
	free(*program);
	return 0;
}

static const char words[] = "rocsmith.cu:1:1: error: the mock does not like it";

int hiprtcGetProgramLogSize(struct program *program, size_t *bytes) {
	(void)program;
	*bytes = sizeof words;
	return 0;
}

int hiprtcGetProgramLog(struct program *program, char *log) {
	(void)program;
	memcpy(log, words, sizeof words);
	return 0;
}

int hiprtcGetCodeSize(struct program *program, size_t *bytes) {
	(void)program;
	ENTER("hiprtcGetCodeSize");
	*bytes = 16;
	return 0;
}

int hiprtcGetCode(struct program *program, char *code) {
	(void)program;
	memcpy(code, "MOCKCODE", 9);
	return 0;
}

const char *hiprtcGetErrorString(int code) { return code == 6 ? "HIPRTC_ERROR_COMPILATION" : "another error"; }

int hiprtcVersion(int *major, int *minor) {
	*major = 9;
	*minor = 0;
	return 0;
}
