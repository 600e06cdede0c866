/**
 * Nexmark, a benchmark of stream engines: an auction house with people, auctions and bids ({@link
 * io.millrace.lab.nexmark.NexmarkGenerator}), and two of its queries on blocks: the join of bids
 * with a bounded table (q13, {@link io.millrace.lab.nexmark.BoundedSideJoin}) and the ten highest
 * bids of each auction (q19, {@link io.millrace.lab.nexmark.TopBids}). {@link
 * io.millrace.lab.nexmark.NexmarkBenchmark} runs them as jobs and checks the results.
 */
package io.millrace.lab.nexmark;
