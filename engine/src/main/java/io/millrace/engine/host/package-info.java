/**
 * The processor of the machine that this process runs on, core by core: {@link
 * io.millrace.engine.host.CpuSampler} looks every 500 ms and keeps the last half minute, {@link
 * io.millrace.engine.host.HostReporter} puts that among the metrics of a Flink TaskManager, from
 * where it is read over HTTP as {@link io.millrace.engine.host.HostSamples}.
 *
 * <p>Flink's own figures of the processor are the last value only, and a reader sees one value in
 * ten seconds: too few for a mean and its variation. Linux only; elsewhere there are no samples.
 */
package io.millrace.engine.host;
