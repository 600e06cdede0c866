/**
 * Other collectors compared with ours, on the same datagrams.
 *
 * <p>A {@link io.millrace.lab.peers.Peer} is started for a load and asked afterwards how many
 * samples it has stored. Those of nfdump and pmacct are Debian's packages, processes of their own;
 * Millrace runs in this process. Each is given the same size of receive buffer, and is waited for
 * until it has come to rest, so that what is counted as lost is lost.
 */
package io.millrace.lab.peers;
