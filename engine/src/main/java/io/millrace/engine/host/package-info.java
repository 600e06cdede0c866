/**
 * Processor use of the machine, by core: {@link io.millrace.engine.host.CpuSampler} samples every
 * 500 ms and keeps the last 30 s, {@link io.millrace.engine.host.HostReporter} adds the samples to
 * the metrics of a Flink TaskManager, from where they are read over HTTP as {@link
 * io.millrace.engine.host.HostSamples}.
 *
 * <p>Flink's own processor metrics hold the last value only, and a reader sees one value every ten
 * seconds: too few for a mean and its variation. Linux only; elsewhere there are no samples.
 */
package io.millrace.engine.host;
