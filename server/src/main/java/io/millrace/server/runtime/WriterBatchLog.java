package io.millrace.server.runtime;

import io.millrace.engine.log.LogWriter;
import io.millrace.server.collect.BatchLog;

/** The log as the collector sees it. */
record WriterBatchLog(LogWriter writer) implements BatchLog {
  @Override
  public int partitions() {
    return writer.partitions();
  }

  @Override
  public boolean offer(byte[] value, int datagrams, int partition, Completion completion) {
    return writer.offer(
        partition,
        value,
        datagrams,
        new LogWriter.Completion() {
          @Override
          public void acknowledged(int partition, long offset) {
            completion.logged(partition, offset);
          }

          @Override
          public void failed(Exception cause) {
            completion.failed(cause);
          }
        });
  }
}
