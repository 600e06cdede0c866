/**
 * What a key carries at this hour of the day as a rule: {@link
 * io.millrace.analytics.usual.UsualRange}, for the alerts of gateways and for the expectation of
 * trends.
 */
package io.millrace.analytics.usual;
