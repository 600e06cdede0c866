/**
 * A checker for "exactly once": it fails a job at every step of a run, and looks whether the table
 * ends as that of some run without a failure.
 *
 * <p><b>The job.</b> Two sources that can be read again, a step that adds numbers up and emits a
 * sum when it is above a threshold, a sink that shows rows at once. Which sums come out depends on
 * the order in which the numbers of the two sources meet, so a run has many right outcomes; {@link
 * io.millrace.engine.checker.Outcomes} lists them all by search. What a failure must never do is
 * mix two of them.
 *
 * <p><b>What is real:</b> the operator that hosts the analyzer, the sink's operator and its
 * coordinator, their snapshots in Flink's state backend, the restores, into another parallelism
 * too, and the serializer of what is emitted. <b>What is simulated:</b> sources, channels,
 * barriers, the beginning and the end of checkpoints, the store ({@link
 * io.millrace.engine.checker.Table}), and time: one step after the other, picked by chance from
 * those that are possible, always the same for the same seed.
 *
 * <p><b>What can fail:</b> a source, a sum, a sink, all tasks of a worker, the job manager; between
 * any two steps, so in the midst of a checkpoint, between its last snapshot and its completion,
 * between that and the word of it, and again while the job recovers. A checkpoint may be given up
 * without a failure. The tasks of a life that is over may be frozen and wake up later, in front of
 * their rewind or with rows in their hands.
 *
 * <p><b>What is assumed:</b> a source gives the same again for the same offset. Channels keep their
 * order and lose nothing while both ends live. A task's step happens or does not: the store makes
 * rows visible, and rewinds, in one transaction each. A completed checkpoint is not lost. Each life
 * of the job gets a token greater than those before, and the store refuses smaller ones from the
 * rewind on. The job manager does not hear tasks of a life that it has given up.
 *
 * <p><b>What is checked:</b> at the end, the table is one of the outcomes. At every moment, no row
 * is visible twice, and the rows that a completed checkpoint covers stay as they are. The job gets
 * to its end, whatever the order.
 *
 * <p><b>What a step with state must do</b> for the sink's rewind to be exact: place what it emits
 * at the value that it is working on ({@link io.millrace.engine.sink.LogPlace}). Two ways of doing
 * it wrong are among the {@link io.millrace.engine.checker.Breakage}s, with which the checker is
 * tried itself: each must be caught.
 */
package io.millrace.engine.checker;
