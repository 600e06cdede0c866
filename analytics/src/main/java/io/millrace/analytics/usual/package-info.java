/**
 * Usual amount of a key at an hour of the day: {@link io.millrace.analytics.usual.UsualRange}, for
 * the alerts of gateways and for the expectation of trends.
 */
package io.millrace.analytics.usual;
