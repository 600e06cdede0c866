/**
 * Subscribers of mobile networks' tunnels: sessions by GTP control messages, identities, and owners
 * of tunnels over time.
 */
package io.millrace.analytics.app.subscriber;
