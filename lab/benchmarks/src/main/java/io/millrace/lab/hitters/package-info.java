/**
 * Benchmarks of heavy hitters and heavy changers: rate and accuracy of each algorithm at equal
 * memory.
 *
 * <p>{@link io.millrace.lab.hitters.PacketTrace} generates packets and expected results, {@link
 * io.millrace.lab.hitters.Candidate} is a measured algorithm, {@link
 * io.millrace.lab.hitters.HittersBenchmark} runs the candidates.
 */
package io.millrace.lab.hitters;
