/** The base class of benchmarks, their common options and results. */
package io.millrace.lab.harness;
