/** Benchmark of joining usage records with streaming events. */
package io.millrace.lab.quota;
