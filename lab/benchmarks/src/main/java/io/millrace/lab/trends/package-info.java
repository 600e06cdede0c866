/** Benchmark of trend detection in synthetic page views with planted rises. */
package io.millrace.lab.trends;
