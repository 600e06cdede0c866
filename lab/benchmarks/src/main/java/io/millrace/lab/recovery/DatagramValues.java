package io.millrace.lab.recovery;

import io.millrace.traffic.DatagramSource;
import io.millrace.traffic.ExportDatagram;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.RawBatch;

/** Batches of datagrams as a collector makes them; rows are samples. */
final class DatagramValues implements LoadValues {
  private static final int SOURCE_PORT = 6343;

  private final DatagramSource source;
  private final int batchBytes;
  private final RawBatch.Writer batch;
  private final ExportDatagram datagram = new ExportDatagram();

  /**
   * @param batchBytes length at which a batch is full
   */
  DatagramValues(DatagramSource source, int batchBytes) {
    this.source = source;
    this.batchBytes = batchBytes;
    this.batch = new RawBatch.Writer(batchBytes + 2048);
  }

  @Override
  public int add(long dueMicros) {
    source.next(datagram);
    batch.add(
        dueMicros,
        0,
        Addresses.v4Low(source.exporterAddress(datagram.exporter())),
        SOURCE_PORT,
        datagram.bytes(),
        datagram.offset(),
        datagram.length());
    return datagram.samples();
  }

  @Override
  public boolean isEmpty() {
    return batch.count() == 0;
  }

  @Override
  public boolean isFull() {
    return batch.length() >= batchBytes;
  }

  @Override
  public byte[] take() {
    byte[] value = batch.toBytes();
    batch.clear();
    return value;
  }
}
