package io.millrace.store;

/**
 * One row of the table {@code exporters}: who sends, in which protocol, how much, and what is lost.
 *
 * @param high upper half of the address that datagrams come from, as {@link
 *     io.millrace.wire.block.Addresses}
 * @param low lower half
 * @param agentHigh upper half of the address that the exporter calls its own; null for none
 * @param agentLow lower half
 * @param protocol label of the {@link io.millrace.wire.block.ExportProtocol}
 * @param port the sender's UDP port; 0 where it does not matter
 * @param part sub-agent, source id or observation domain
 * @param datagrams received
 * @param datagramsPerSecond received lately
 * @param rows stored
 * @param rowsPerSecond stored lately
 * @param lostDatagrams sent and not received, by the exporter's own numbers
 * @param lostRecords flow records missing, where the protocol numbers these
 * @param dropped datagrams lost by us
 * @param malformed datagrams with something malformed in them
 * @param templates known now
 * @param firstSeenMicros arrival of the first datagram, microseconds since the epoch
 * @param lastSeenMicros arrival of the last datagram
 * @param skewMicros our clock less the exporter's at the last datagram
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
