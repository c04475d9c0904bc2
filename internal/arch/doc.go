// Package arch keeps the house rules as tests: which room may know which, and what every room owes its readers.
package arch
