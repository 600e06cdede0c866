/**
 * Comparison of other collectors with Millrace on the same datagrams.
 *
 * <p>A {@link io.millrace.lab.peers.Peer} is started for a load and then counts the samples that it
 * has stored. nfdump and pmacct are Debian packages and run as processes; Millrace runs in this
 * process. All have receive buffers of the same size. Samples are counted only once a peer is idle,
 * so that those counted as lost are lost.
 */
package io.millrace.lab.peers;
