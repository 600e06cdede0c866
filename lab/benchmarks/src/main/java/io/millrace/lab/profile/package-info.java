/**
 * Where processors go while a benchmark runs: {@link io.millrace.lab.profile.Profile} looks at all
 * of its processes from outside, and at their stacks with the JVM's own recorder.
 */
package io.millrace.lab.profile;
