/**
 * Whose a tunnel of a mobile network is: what control messages of GTP agree on, subscribers and
 * their names, and the owners of tunnels over time.
 */
package io.millrace.analytics.app.subscriber;
