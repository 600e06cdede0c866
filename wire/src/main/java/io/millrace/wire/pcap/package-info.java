/**
 * Capture files: packets out of pcap and pcapng, export datagrams out of packets, and back.
 *
 * <p>{@link io.millrace.wire.pcap.CaptureReader} gives the packets of a capture one at a time,
 * {@link io.millrace.wire.pcap.DatagramExtractor} the UDP datagrams that they carry, put together
 * from IP fragments; {@link io.millrace.wire.pcap.CaptureWriter} writes captures of datagrams.
 * Streams are handed in, so that nothing here opens a file; memory stays bounded whatever a file
 * says.
 */
package io.millrace.wire.pcap;
