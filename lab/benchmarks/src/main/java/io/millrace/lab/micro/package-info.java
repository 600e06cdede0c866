/** Single-threaded, in-memory benchmarks: decoding, encoding, look-ups, state and windows. */
package io.millrace.lab.micro;
