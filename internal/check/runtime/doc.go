// Package runtime asks whether ROCm's libraries find each other, and whether the HIP runtime, its libraries and the driver fit together.
package runtime
