/**
 * Packets from the interfaces of this machine, by a packet socket of Linux whose ring the kernel
 * fills and we read: no call and no copy of the kernel's for each packet.
 */
package io.millrace.server.capture;
