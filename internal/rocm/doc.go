// Package rocm holds what is known of AMD GPUs, their targets, ROCm releases, kernels, firmware and environment
// variables, each fact with its source, and the rule which GPU code runs on which GPU.
//
// The knowledge is data (data/*.yaml): a new GPU, release or rule needs no Go. Each file is parsed on first use.
// Slices that are returned belong to the caller; what their rows refer to is shared and must not be changed.
package rocm
