/** Benchmark of commands to controllers, computed from messages. */
package io.millrace.lab.voice;
