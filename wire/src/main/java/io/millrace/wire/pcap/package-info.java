/**
 * Capture files: packets from pcap and pcapng, export datagrams from packets, and back.
 *
 * <p>{@link io.millrace.wire.pcap.CaptureReader} reads the packets of a capture one at a time,
 * {@link io.millrace.wire.pcap.DatagramExtractor} the UDP datagrams in them, with reassembly of IP
 * fragments; {@link io.millrace.wire.pcap.CaptureWriter} writes captures of datagrams. Callers open
 * the streams; memory is bounded whatever a file contains.
 */
package io.millrace.wire.pcap;
