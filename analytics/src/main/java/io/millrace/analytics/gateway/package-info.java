/**
 * What gateways have sent and received each day, from records that count in three forms and come
 * late, twice or not at all: {@link io.millrace.analytics.gateway.GatewayDays}. {@link
 * io.millrace.analytics.gateway.IntervalStatistics} says how the gateways compare in each interval,
 * {@code UsualHours} whether one is as it was at the same hour of the past weeks.
 */
package io.millrace.analytics.gateway;
