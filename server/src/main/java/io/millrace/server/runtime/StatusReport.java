package io.millrace.server.runtime;

import io.millrace.engine.job.JobStatusReport;
import io.millrace.engine.log.LogWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a process is doing, at one moment. Counts are since the start of the process unless they say
 * otherwise; who wants a rate asks twice.
 *
 * @param uptimeMillis since the start
 * @param listening UDP addresses
 * @param datagrams datagrams given to the log
 * @param datagramsRefused of those, what the log had no room for
 * @param datagramsFailed of those, what the log did not acknowledge
 * @param logBytes bytes given to the log, before compression
 * @param rowsStored rows stored by this process's job, also those that were rewound
 * @param rows rows in the table
 * @param diskBytes of the store
 * @param job Flink's word for the job
 * @param restarts of the job since the start
 * @param lagValues log values not yet read; −1 while unknown
 * @param checkpoint the last completed one, null before the first
 * @param restoredCheckpoint the one that this process went on from, null if it started anew
 * @param failure why the job last failed, null if it did not
 * @param counters of the job's steps
 */
public record StatusReport(
    long uptimeMillis,
    List<String> listening,
    long datagrams,
    long datagramsRefused,
    long datagramsFailed,
    long logBytes,
    long rowsStored,
    long rows,
    long diskBytes,
    String job,
    long restarts,
    long lagValues,
    Map<String, Object> checkpoint,
    Long restoredCheckpoint,
    String failure,
    Map<String, Long> counters) {

  static StatusReport of(
      Millrace millrace, JobStatusReport job, LogWriter.Counts log, long startedMillis) {
    return new StatusReport(
        System.currentTimeMillis() - startedMillis,
        millrace.listening(),
        log.offeredRows(),
        log.refusedRows(),
        log.failedRows(),
        log.acknowledgedBytes(),
        job.counters().getOrDefault("store.rowsStored", 0L),
        millrace.rows(),
        millrace.store().diskBytes(),
        job.state(),
        job.restarts(),
        job.lagValues(),
        job.checkpoint().map(StatusReport::checkpoint).orElse(null),
        job.restored().orElse(null),
        job.failure().orElse(null),
        job.counters());
  }

  private static Map<String, Object> checkpoint(JobStatusReport.CompletedCheckpoint checkpoint) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", checkpoint.id());
    map.put("ageMillis", checkpoint.age().toMillis());
    map.put("durationMillis", checkpoint.duration().toMillis());
    map.put("bytes", checkpoint.bytes());
    return map;
  }
}
