/**
 * Benchmarks as commands, listed in {@link io.millrace.lab.Benchmarks}. Each measures something and
 * checks that the result is right. {@code traffic} generates their input.
 */
package io.millrace.lab;
