/**
 * Recorded data sets of gateways that never were: {@link io.millrace.bench.fleet.Fleet} makes the
 * records in the order in which they would come, {@link io.millrace.bench.fleet.RecordFileWriter}
 * writes them down, and {@link io.millrace.bench.fleet.FleetTruth} adds them up by the definition
 * of the totals, apart from the job that is to be compared with it.
 */
package io.millrace.bench.fleet;
