/**
 * Heavy hitters and heavy changers: rate and accuracy of each algorithm at equal memory.
 *
 * <p>{@link io.millrace.lab.hitters.PacketTrace} makes the packets and the truth, {@link
 * io.millrace.lab.hitters.Candidate} is an algorithm that is measured, {@link
 * io.millrace.lab.hitters.HittersBenchmark} sends the one through the other.
 */
package io.millrace.lab.hitters;
