/**
 * Daily bytes of gateways, from records in three forms that may be late, duplicated or missing:
 * {@link io.millrace.analytics.gateway.GatewayDays}. {@link
 * io.millrace.analytics.gateway.IntervalStatistics} compares the gateways in each interval, {@code
 * UsualHours} each one with its past weeks.
 */
package io.millrace.analytics.gateway;
