// libhiprtc, and with CUDA libnvrtc: "compiles" a source that holds the kernels,
// for a target that it is told.
#include "mock.h"

#ifdef CUDA
#define RTC(name) nvrtc##name
#define TARGET "--gpu-architecture=sm_"
#define nvrtcGetCodeSize nvrtcGetCUBINSize
#define nvrtcGetCode nvrtcGetCUBIN
#else
#define RTC(name) hiprtc##name
#define TARGET "--offload-arch=gfx"
#endif
#define TEXT(name) #name
#define CALL(name) TEXT(name)

struct program {
	char *source;
};

int RTC(CreateProgram)(struct program **program, const char *source, const char *name, int headers, const char **bodies, const char **names) {
	(void)name, (void)headers, (void)bodies, (void)names;
	ENTER(CALL(RTC(CreateProgram)));
	*program = malloc(sizeof **program);
	(*program)->source = strdup(source);
	return 0;
}

int RTC(CompileProgram)(struct program *program, int options, const char **values) {
	ENTER(CALL(RTC(CompileProgram)));
	if (!strstr(program->source, "rocsmith_softmax"))
		return 6;
	for (int i = 0; i < options; i++)
		if (strncmp(values[i], TARGET, strlen(TARGET)) != 0)
			return 5;
	return 0;
}

int RTC(DestroyProgram)(struct program **program) {
	free((*program)->source);
	free(*program);
	return 0;
}

static const char words[] = "rocsmith.cu:1:1: error: the mock does not like it";

int RTC(GetProgramLogSize)(struct program *program, size_t *bytes) {
	(void)program;
	*bytes = sizeof words;
	return 0;
}

int RTC(GetProgramLog)(struct program *program, char *log) {
	(void)program;
	memcpy(log, words, sizeof words);
	return 0;
}

int RTC(GetCodeSize)(struct program *program, size_t *bytes) {
	(void)program;
	ENTER(CALL(RTC(GetCodeSize)));
	*bytes = 16;
	return 0;
}

int RTC(GetCode)(struct program *program, char *code) {
	(void)program;
	memcpy(code, "MOCKCODE", 9);
	return 0;
}

const char *RTC(GetErrorString)(int code) { return code == 6 ? "HIPRTC_ERROR_COMPILATION" : "another error"; }

int RTC(Version)(int *major, int *minor) {
	*major = 9;
	*minor = 0;
	return 0;
}
