/**
 * Heavy hitters and heavy changers: rate and accuracy of each algorithm at equal memory.
 *
 * <p>{@link io.millrace.bench.hitters.PacketTrace} makes the packets and the truth, {@link
 * io.millrace.bench.hitters.Candidate} is an algorithm that is measured, {@link
 * io.millrace.bench.hitters.HittersBenchmark} sends the one through the other.
 */
package io.millrace.bench.hitters;
