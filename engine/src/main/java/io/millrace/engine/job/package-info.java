/**
 * A stream engine inside this process: {@link io.millrace.engine.job.EmbeddedFlink} runs jobs on a
 * small Flink cluster in this JVM, {@link io.millrace.engine.job.EmbeddedJob} is one of them. Each
 * job restores its newest complete checkpoint automatically ({@link
 * io.millrace.engine.job.CheckpointDirectory}).
 */
package io.millrace.engine.job;
