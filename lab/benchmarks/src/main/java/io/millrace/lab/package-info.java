/**
 * Benchmarks as commands: {@link io.millrace.lab.Benchmarks} lists them, each measures something
 * and checks that the result is right. {@code traffic} makes what they work on.
 */
package io.millrace.lab;
