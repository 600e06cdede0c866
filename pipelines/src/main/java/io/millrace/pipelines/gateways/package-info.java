/**
 * Telemetry of gateways: log → decode → totals of each gateway and day, comparison of gateways in
 * each interval, and anomalies → tables. {@link io.millrace.pipelines.gateways.GatewaysPipeline}
 * combines the steps, {@link io.millrace.pipelines.gateways.GatewaysConfig} holds the settings.
 */
package io.millrace.pipelines.gateways;
