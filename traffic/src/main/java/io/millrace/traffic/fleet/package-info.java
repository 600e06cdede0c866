/**
 * Recorded data sets of gateways that never were: {@link io.millrace.traffic.fleet.Fleet} makes the
 * records in the order in which they would come, {@link io.millrace.traffic.fleet.RecordFileWriter}
 * writes them down, and {@link io.millrace.traffic.fleet.FleetTruth} adds them up by the definition
 * of the totals, apart from the job that is to be compared with it.
 */
package io.millrace.traffic.fleet;
