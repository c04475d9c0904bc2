# syntax=docker/dockerfile:1.7
# A speech service on AMD GPUs, as people write them.
ARG ROCM=7.2
ARG BASE="rocm/pytorch:rocm${ROCM}_ubuntu24.04_py3.12_pytorch_release_2.9.1"

FROM ${BASE} AS base
LABEL org.opencontainers.image.title="whisper" \
      org.opencontainers.image.description='speech to text, it said'
ENV DEBIAN_FRONTEND=noninteractive \
    # where MIOpen keeps what it compiles
    MIOPEN_CUSTOM_CACHE_DIR=/cache/miopen \

    HF_HOME="/cache/hugging face"
ENV LANG C.UTF-8
RUN --mount=type=cache,target=/var/cache/apt,sharing=locked \
    apt-get update && apt-get install -y --no-install-recommends \
      ffmpeg \
      # for openai-whisper from its repository
      git \
    && rm -rf /var/lib/apt/lists/*
RUN pip install --no-deps "openai-whisper==20250625" && \
    pip install 'numpy<2.4' numba==0.63.1 llvmlite==0.46.0 tiktoken tqdm more-itertools

FROM base
COPY --chown=1000:1000 --from=base ["/etc/os-release", "/a b"]
ONBUILD RUN echo "it's built"
HEALTHCHECK --interval=30s --timeout=5s CMD ["python3", "-c", "import torch; assert torch.version.hip"]
USER 1000:1000
WORKDIR /work
ENTRYPOINT ["whisper"]
CMD --help
