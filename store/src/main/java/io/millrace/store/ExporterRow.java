package io.millrace.store;

/**
 * A row of the table {@code exporters}.
 *
 * @param high upper half of the source address, as {@link io.millrace.wire.block.Addresses}
 * @param low lower half
 * @param agentHigh upper half of the exporter's own (agent) address; null for none
 * @param agentLow lower half
 * @param protocol label of the {@link io.millrace.wire.block.ExportProtocol}
 * @param port source UDP port; 0 if irrelevant
 * @param part sub-agent, source id or observation domain
 * @param datagrams received
 * @param datagramsPerSecond recently received
 * @param rows stored
 * @param rowsPerSecond recently stored
 * @param lostDatagrams sent and not received, by the exporter's sequence numbers
 * @param lostRecords missing flow records, if the protocol numbers them
 * @param dropped datagrams dropped by the collector
 * @param malformed datagrams with malformed content
 * @param templates currently known
 * @param firstSeenMicros arrival of the first datagram, microseconds since the epoch
 * @param lastSeenMicros arrival of the last datagram
 * @param skewMicros local clock minus the exporter's at the last datagram
 */
public record ExporterRow(
    long high,
    long low,
    long agentHigh,
    long agentLow,
    String protocol,
    int port,
    long part,
    long datagrams,
    double datagramsPerSecond,
    long rows,
    double rowsPerSecond,
    long lostDatagrams,
    long lostRecords,
    long dropped,
    long malformed,
    long templates,
    long firstSeenMicros,
    long lastSeenMicros,
    long skewMicros) {}
