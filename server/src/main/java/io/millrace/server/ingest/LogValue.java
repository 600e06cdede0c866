package io.millrace.server.ingest;

import java.util.ArrayList;
import java.util.List;

/**
 * One value for a partition: filled from many requests and frames, sealed, given to the log. Filled
 * under its lane's lock, then owned by the thread that sends it.
 */
abstract class LogValue {
  /** Header, fingerprint, and the client of the last frame that is added. */
  static final int MOST_FRAMING_BYTES = 512;

  private final int partition;
  private final int kind;
  private final List<Receipt> receipts = new ArrayList<>();
  private final List<ClientFrames> clients = new ArrayList<>();
  private long[] frames = new long[0];
  private byte[] bytes;
  private int clientBytes;

  LogValue(int partition, int kind) {
    this.partition = partition;
    this.kind = kind;
  }

  /** Number of its kind: values of different kinds are filled beside each other. */
  final int kind() {
    return kind;
  }

  /** Adds a row of what was decoded, which is of the value's kind. */
  abstract void add(Decoding decoded, int row);

  abstract int records();

  /** Bytes of the records so far, with their header. */
  abstract int recordBytes();

  /** What all records are about, as the log's key; null for several things. */
  abstract byte[] key();

  /** Tells a client's last frame in {@link #write}. */
  abstract void addSender(byte[] client, long frame);

  /** The finished value. */
  abstract byte[] write();

  final void add(Receipt receipt) {
    receipts.add(receipt);
  }

  final void add(ClientFrames client) {
    clients.add(client);
    clientBytes += client.id() == null ? 0 : 1 + client.utf8().length + Long.BYTES;
  }

  /** Bytes so far, the clients' among them. */
  final int length() {
    return recordBytes() + clientBytes;
  }

  /** Nothing is added any more: what the clients' frames are now is what the value tells. */
  final void seal() {
    frames = new long[clients.size()];
    for (int i = 0; i < frames.length; i++) {
      ClientFrames client = clients.get(i);
      frames[i] = client.taken(partition);
      client.open[partition] = null;
    }
  }

  /** The value for the log, made once. */
  final byte[] bytes() {
    if (bytes == null) {
      for (int i = 0; i < frames.length; i++) {
        if (clients.get(i).id() != null) {
          addSender(clients.get(i).utf8(), frames[i]);
        }
      }
      bytes = write();
    }
    return bytes;
  }

  /** The log has the value. Cheap: called where the log's answers are read. */
  final void logged() {
    for (int i = 0; i < frames.length; i++) {
      clients.get(i).log(partition, frames[i]);
    }
  }

  /** Tells all that wait. */
  final void tellLogged() {
    for (Receipt receipt : receipts) {
      receipt.logged();
    }
    for (ClientFrames client : clients) {
      GatewaySocket socket = client.socket();
      if (socket != null) {
        socket.progress();
      }
    }
  }

  /** Tells all that wait that nobody knows whether the log has the value, or that it has not. */
  final void tellFailed(Exception cause) {
    for (Receipt receipt : receipts) {
      receipt.failed(cause);
    }
    for (ClientFrames client : clients) {
      GatewaySocket socket = client.socket();
      if (socket != null) {
        socket.logFailed();
      }
    }
  }
}
