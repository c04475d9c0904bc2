// Package runtime asks whether the HIP runtime, its libraries and the driver that are installed fit together.
package runtime
