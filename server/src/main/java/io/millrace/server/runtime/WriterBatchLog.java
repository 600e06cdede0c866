package io.millrace.server.runtime;

import io.millrace.engine.log.LogWriter;
import io.millrace.server.collect.BatchLog;

record WriterBatchLog(LogWriter writer, LogSpace space) implements BatchLog {
  @Override
  public int partitions() {
    return writer.partitions();
  }

  @Override
  public boolean offer(byte[] value, int datagrams, int partition, Completion completion) {
    if (space.isShort()) {
      writer.refuse(datagrams, "disk full");
      return false;
    }
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
