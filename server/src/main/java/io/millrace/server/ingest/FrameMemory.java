package io.millrace.server.ingest;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which clients there are, and which of their frames are in the log: as many as are allowed, those
 * heard of last. Of a client that is forgotten, frames that it sends again are written again.
 *
 * <p>Saved now and then, together with the offsets that it knows of. A start reads the file and
 * then the log behind those offsets, where each value tells the clients and frames in it: so the
 * memory is as if the process had never been killed, without a write to disk for each frame.
 * Without the file the last ten minutes of the log are read.
 *
 * <p>Thread-safe.
 */
final class FrameMemory {
  private static final Logger LOG = LoggerFactory.getLogger(FrameMemory.class);
  private static final int FAMILY = ('M' << 24) | ('R' << 16) | ('C' << 8);
  private static final int VERSION = 1;
  private static final Duration WITHOUT_FILE = Duration.ofMinutes(10);

  private final int partitions;
  private final int maxClients;
  private final Map<String, ClientFrames> clients = new LinkedHashMap<>(16, 0.75f, true);
  private long[] nextOffsets;
  private volatile boolean isChanged;

  FrameMemory(int partitions, int maxClients) {
    this.partitions = partitions;
    this.maxClients = maxClients;
    nextOffsets = new long[partitions];
  }

  /** What is known of a client; nothing yet, if it is heard of for the first time. */
  synchronized ClientFrames client(String id) {
    ClientFrames client = clients.get(id);
    if (client == null) {
      forgetOne();
      client = new ClientFrames(id, partitions);
      clients.put(id, client);
    }
    return client;
  }

  /** A client without a name: nothing is remembered of it. */
  ClientFrames nameless() {
    return new ClientFrames(null, partitions);
  }

  private void forgetOne() {
    if (clients.size() < maxClients) {
      return;
    }
    Iterator<ClientFrames> oldest = clients.values().iterator();
    while (oldest.hasNext()) {
      ClientFrames client = oldest.next();
      if (client.socket() == null && client.isSettled()) {
        oldest.remove();
        return;
      }
    }
  }

  /** A value of the log says that it has a client's frames up to this one. */
  void restore(String id, int partition, long frame) {
    client(id).restore(partition, frame);
  }

  /** After a lane was given up: nothing of any client is on its way to the partition. */
  synchronized void forgetTaken(int partition) {
    clients.values().forEach(client -> client.restore(partition, 0));
  }

  synchronized int size() {
    return clients.size();
  }

  /** Where the log goes on behind what is known. */
  long nextOffset(int partition) {
    return nextOffsets[partition];
  }

  /** A frame of some client is in the log. */
  void changed() {
    isChanged = true;
  }

  /**
   * Reads the file, and the log behind it.
   *
   * @throws IOException if one of them cannot be read
   */
  void restore(Path file, LogEnd log, long nowMicros) throws IOException {
    boolean isThere = read(file);
    long[] until = log.end();
    long[] from = isThere ? nextOffsets : log.at(nowMicros - WITHOUT_FILE.toNanos() / 1_000);
    for (int partition = 0; partition < partitions; partition++) {
      if (from[partition] < until[partition]) {
        log.read(partition, from[partition], until[partition], this::restore);
      }
    }
    nextOffsets = until;
  }

  private boolean read(Path file) throws IOException {
    byte[] state;
    try {
      state = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return false;
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(state))) {
      if (in.readInt() != (FAMILY | VERSION)) {
        throw new IOException(file + ": is of another release, or not a file of clients' frames");
      }
      if (in.readInt() != partitions) {
        LOG.warn("{}: the log has another number of partitions now; its end is read", file);
        return false;
      }
      for (int partition = 0; partition < partitions; partition++) {
        nextOffsets[partition] = in.readLong();
      }
      for (int left = in.readInt(); left > 0; left--) {
        ClientFrames client = client(in.readUTF());
        for (int partition = 0; partition < partitions; partition++) {
          client.restore(partition, in.readLong());
        }
      }
      return true;
    }
  }

  /**
   * Saves what is known, if that has changed.
   *
   * @param next offset behind what the log is known to have of us, for each partition; read before
   */
  void save(Path file, long[] next) throws IOException {
    if (!isChanged) {
      return;
    }
    isChanged = false; // before it is read: what changes from now on is for the next time
    try {
      write(file, next);
    } catch (IOException e) {
      isChanged = true;
      throw e;
    }
  }

  private void write(Path file, long[] next) throws IOException {
    List<ClientFrames> all;
    synchronized (this) {
      all = new ArrayList<>(clients.values());
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(FAMILY | VERSION);
      out.writeInt(partitions);
      for (long offset : next) {
        out.writeLong(offset);
      }
      out.writeInt(all.size());
      for (ClientFrames client : all) {
        out.writeUTF(client.id());
        for (int partition = 0; partition < partitions; partition++) {
          out.writeLong(client.logged(partition));
        }
      }
    }
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    Files.write(fresh, bytes.toByteArray());
    Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }
}
