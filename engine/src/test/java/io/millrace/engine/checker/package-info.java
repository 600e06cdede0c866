/**
 * A checker for "exactly once": it fails a job at every step of a run, and checks that the table
 * ends as that of some run without a failure.
 *
 * <p><b>The job.</b> Two sources that can be read again, a step that adds numbers and emits a sum
 * when it is above a threshold, a sink with immediately visible rows. The sums depend on the order
 * in which the numbers of the two sources meet, so a run has many correct outcomes; {@link
 * io.millrace.engine.checker.Outcomes} finds them all by search. A failure must never mix two of
 * them.
 *
 * <p><b>What is real:</b> the operator that hosts the analyzer, the sink's operator and its
 * coordinator, their snapshots in Flink's state backend, the restores, also at another parallelism,
 * and the serializer of the output. <b>What is simulated:</b> sources, channels, barriers, start
 * and completion of checkpoints, the store ({@link io.millrace.engine.checker.Table}), and time:
 * one step after the other, picked at random from the possible ones, always the same for the same
 * seed.
 *
 * <p><b>What can fail:</b> a source, a sum, a sink, all tasks of a worker, the job manager; between
 * any two steps, so also during a checkpoint, between its last snapshot and its completion, between
 * that and the notification, and again during recovery. A checkpoint may be aborted without a
 * failure. The tasks of a former attempt may be frozen and wake up later, before their rewind or
 * while they hold rows.
 *
 * <p><b>What is assumed:</b> a source returns the same value for the same offset. Channels are
 * ordered and lose nothing while both ends live. Steps are atomic: the store makes rows visible,
 * and rewinds, in one transaction each. A completed checkpoint is not lost. Each attempt of the job
 * gets a greater token than those before, and the store rejects smaller ones from the rewind on.
 * The job manager drops messages of attempts that it has abandoned.
 *
 * <p><b>What is checked:</b> at the end, the table is one of the outcomes. At every moment, no row
 * is visible twice, and the rows that a completed checkpoint covers stay as they are. The job
 * reaches its end in any order.
 *
 * <p><b>Requirement on a step with state</b> for the sink's rewind to be exact: its output has the
 * position of the value that it processes ({@link io.millrace.engine.sink.LogPlace}). Two
 * violations of this are among the {@link io.millrace.engine.checker.Breakage}s, with which the
 * checker itself is tested: each must be found.
 */
package io.millrace.engine.checker;
