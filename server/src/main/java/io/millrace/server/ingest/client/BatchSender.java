package io.millrace.server.ingest.client;

import io.millrace.wire.block.TableBlock;
import java.io.IOException;

abstract class BatchSender implements RecordSender {
  final SendConfig config;
  private final RecordBatch batch;

  // Guarded by this.
  private long sent;
  long accepted;
  long rejected;
  long attempts;
  private String firstError = "";

  BatchSender(SendConfig config) {
    this.config = config;
    batch = new RecordBatch(config.encoding());
  }

  abstract void awaitOpen(int max) throws IOException, InterruptedException;

  abstract void write(byte[] payload, int records) throws IOException, InterruptedException;

  @Override
  public final void send(TableBlock block, int row) throws IOException, InterruptedException {
    batch.add(block, row);
    if (batch.records() >= config.batch()) {
      write();
    }
  }

  @Override
  public void push() throws IOException, InterruptedException {
    if (batch.records() > 0) {
      write();
    }
  }

  private void write() throws IOException, InterruptedException {
    int records = batch.records();
    send(batch.take(), records);
  }

  @Override
  public final void send(byte[] payload, int records) throws IOException, InterruptedException {
    awaitOpen(config.inFlight() - 1);
    synchronized (this) {
      sent += records;
    }
    write(payload, records);
  }

  @Override
  public final void finish() throws IOException, InterruptedException {
    push();
    awaitOpen(0);
  }

  final synchronized void recordError(String message) {
    if (firstError.isEmpty()) {
      firstError = message;
    }
  }

  @Override
  public final synchronized Counts counts() {
    return new Counts(sent, accepted, rejected, attempts);
  }

  @Override
  public final synchronized String firstError() {
    return firstError;
  }
}
