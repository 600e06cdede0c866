/**
 * Synthetic data sets of gateways: {@link io.millrace.traffic.fleet.Fleet} generates the records in
 * order of arrival, {@link io.millrace.traffic.fleet.RecordFileWriter} writes them, and {@link
 * io.millrace.traffic.fleet.FleetTruth} computes the expected totals independently of the job.
 */
package io.millrace.traffic.fleet;
