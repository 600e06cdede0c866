/** Packets as they were captured: how many there are, of which kind, and whose. */
package io.millrace.analytics.packets;
