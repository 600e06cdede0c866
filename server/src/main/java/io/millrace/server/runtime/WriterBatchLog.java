package io.millrace.server.runtime;

import io.millrace.engine.log.LogWriter;
import io.millrace.server.collect.BatchLog;

/** The log as the collector sees it. */
record WriterBatchLog(LogWriter writer) implements BatchLog {
  @Override
  public boolean offer(byte[] value, int datagrams, Completion completion) {
    return writer.offer(
        null,
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
