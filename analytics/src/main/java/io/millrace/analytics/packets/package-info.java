/** Captured packets: counts, and flows of single packets. */
package io.millrace.analytics.packets;
