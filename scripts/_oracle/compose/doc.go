// Package compose holds rocsmith's reader of compose projects to the one that docker compose is made of.
package compose
