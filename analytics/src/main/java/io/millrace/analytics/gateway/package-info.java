/**
 * Daily bytes of gateways, from records that count in three forms and come late, twice or not at
 * all: {@link io.millrace.analytics.gateway.GatewayDays}. {@link
 * io.millrace.analytics.gateway.IntervalStatistics} compares the gateways in each interval, {@code
 * UsualHours} each one with its past weeks.
 */
package io.millrace.analytics.gateway;
