/**
 * Packet capture by a memory-mapped Linux packet socket: no system call and no kernel copy for each
 * packet.
 */
package io.millrace.server.capture;
