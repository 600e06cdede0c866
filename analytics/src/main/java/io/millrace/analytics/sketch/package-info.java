/**
 * Heavy hitters and heavy changers of a stream of weighted keys, in bounded memory.
 *
 * <p>{@link io.millrace.analytics.sketch.HitterSketch} is the interface of all algorithms, {@link
 * io.millrace.analytics.sketch.Algorithm} lists and creates them, {@link
 * io.millrace.analytics.sketch.KeyBlock} is their input. Start reading with {@link
 * io.millrace.analytics.sketch.MvSketch}.
 */
package io.millrace.analytics.sketch;
