/**
 * Packet capture with memory-mapped Linux packet sockets, which need no system call and no copy for
 * each packet.
 */
package io.millrace.server.capture;
