/**
 * What a failure costs: processes of a real cluster are killed, frozen and cut off under a steady
 * load.
 *
 * <p>{@link io.millrace.lab.recovery.RecoveryBenchmark} goes through the cases of {@link
 * io.millrace.lab.recovery.Failure}. {@link io.millrace.lab.recovery.OutputWatch} looks at the
 * output many times a second, {@link io.millrace.lab.recovery.Recovery} makes times of what it saw,
 * and {@link io.millrace.lab.recovery.TableComparison} holds the table against that of an
 * undisturbed run over the same log.
 */
package io.millrace.lab.recovery;
