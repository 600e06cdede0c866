/**
 * Who is heavy and who changed most, in bounded memory: heavy hitters and heavy changers of a
 * stream of keys with weights.
 *
 * <p>{@link io.millrace.analytics.sketch.HitterSketch} is the contract of all algorithms, {@link
 * io.millrace.analytics.sketch.Algorithm} lists and makes them, {@link
 * io.millrace.analytics.sketch.KeyBlock} is what they are given. Begin to read with {@link
 * io.millrace.analytics.sketch.MvSketch}.
 */
package io.millrace.analytics.sketch;
