/**
 * Where processors go while a benchmark runs: {@link io.millrace.bench.profile.Profile} looks at
 * all of its processes from outside, and at their stacks with the JVM's own recorder.
 */
package io.millrace.bench.profile;
