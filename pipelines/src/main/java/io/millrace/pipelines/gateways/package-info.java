/**
 * Telemetry of gateways: log → decode → totals of each gateway and day, how the gateways compare in
 * each interval, and which are not as usual → tables. {@link
 * io.millrace.pipelines.gateways.GatewaysPipeline} is the whole of it, {@link
 * io.millrace.pipelines.gateways.GatewaysConfig} what can be set.
 */
package io.millrace.pipelines.gateways;
