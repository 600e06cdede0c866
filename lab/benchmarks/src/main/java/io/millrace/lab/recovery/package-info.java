/**
 * Cost of failures: processes of a real cluster are killed, frozen and disconnected under a steady
 * load.
 *
 * <p>{@link io.millrace.lab.recovery.RecoveryBenchmark} runs the cases of {@link
 * io.millrace.lab.recovery.Failure}. {@link io.millrace.lab.recovery.OutputWatch} samples the
 * output, {@link io.millrace.lab.recovery.Recovery} computes times from the samples, and {@link
 * io.millrace.lab.recovery.TableComparison} compares the table with that of an undisturbed run over
 * the same log.
 */
package io.millrace.lab.recovery;
