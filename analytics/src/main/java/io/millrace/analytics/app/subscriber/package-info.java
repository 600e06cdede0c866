/**
 * Subscribers of tunnels in mobile networks: sessions from GTP control messages, identities, and
 * owners of tunnels over time.
 */
package io.millrace.analytics.app.subscriber;
