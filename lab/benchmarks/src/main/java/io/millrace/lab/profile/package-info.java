/**
 * Profiles of running benchmarks: {@link io.millrace.lab.profile.Profile} samples all processes in
 * {@code /proc}, and their stacks with Java Flight Recorder.
 */
package io.millrace.lab.profile;
