package io.millrace.server.ingest;

import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordBatch;
import java.util.ArrayList;
import java.util.List;

/**
 * A log value. Many requests and frames fill it under the lane's lock; then it is sealed and
 * belongs to the sending thread.
 */
final class LogValue {
  /** Maximum bytes of the header and of one client. */
  static final int MAX_FRAMING_BYTES = 512;

  private final int partition;
  private final int time;
  private final long arrivalMicros;
  private final TableBlock records;
  private final RecordBatch.Writer writer = new RecordBatch.Writer();
  private final List<Completion> completions = new ArrayList<>();
  private final List<ClientFrames> clients = new ArrayList<>();
  private long[] frames = new long[0];
  private byte[] bytes;
  private long recordBytes;
  private int clientBytes;

  LogValue(
      int partition,
      TableSchema columns,
      int time,
      int headBytes,
      long arrivalMicros,
      int expected) {
    this.partition = partition;
    this.time = time;
    this.arrivalMicros = arrivalMicros;
    records = new TableBlock(columns, expected);
    recordBytes = headBytes;
  }

  /** Adds the rows of a partition, given its first row. */
  void add(DecodedRecords decoded, int first) {
    int count = decoded.chain(first);
    records.add(decoded.block(), decoded.chained(), count);
    for (int i = 0; i < count; i++) {
      recordBytes += decoded.mostBytes(decoded.chained()[i]);
    }
  }

  int records() {
    return records.rows();
  }

  void add(Completion completion) {
    completions.add(completion);
  }

  void add(ClientFrames client) {
    clients.add(client);
    clientBytes += client.id() == null ? 0 : 1 + client.utf8().length + Long.BYTES;
  }

  /** Upper bound of the length; numbers have variable length. */
  int length() {
    return (int) Math.min(Integer.MAX_VALUE / 2, recordBytes) + clientBytes;
  }

  void seal() {
    frames = new long[clients.size()];
    for (int i = 0; i < frames.length; i++) {
      ClientFrames client = clients.get(i);
      frames[i] = client.taken(partition);
      client.open[partition] = null;
    }
  }

  /** Serialized value, built once. */
  byte[] bytes() {
    if (bytes == null) {
      for (int i = 0; i < frames.length; i++) {
        if (clients.get(i).id() != null) {
          writer.addSender(clients.get(i).utf8(), frames[i]);
        }
      }
      bytes = writer.write(records, time, arrivalMicros);
    }
    return bytes;
  }

  /** Notifies the senders; runs on the log's completion thread, so it must be fast. */
  void logged() {
    for (int i = 0; i < frames.length; i++) {
      clients.get(i).log(partition, frames[i]);
    }
  }

  void notifyLogged() {
    for (Completion completion : completions) {
      completion.logged();
    }
    for (ClientFrames client : clients) {
      RecordSocket socket = client.socket();
      if (socket != null) {
        socket.progress();
      }
    }
  }

  /** Notifies the senders that the value was rejected, or that its outcome is unknown. */
  void notifyFailed(Exception cause) {
    for (Completion completion : completions) {
      completion.failed(cause);
    }
    for (ClientFrames client : clients) {
      RecordSocket socket = client.socket();
      if (socket != null) {
        socket.logFailed();
      }
    }
  }
}
