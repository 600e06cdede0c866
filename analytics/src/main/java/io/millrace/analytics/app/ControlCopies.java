package io.millrace.analytics.app;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.KeyGroups;
import io.millrace.wire.block.PacketBlock;
import io.millrace.wire.packet.GtpControl;
import io.millrace.wire.packet.LinkType;
import io.millrace.wire.packet.PacketHeaders;

/**
 * Puts a copy of each packet of GTP's control plane for each subtask in front of it, so that all
 * subtasks learn whose the tunnels are, at the same place among their packets. Control messages are
 * few beside what goes through the tunnels, and what a subscriber sends to somebody comes to
 * another subtask than what goes to somebody else.
 *
 * <p>A copy starts with its IP header and has a link number of its own, which tells the key group
 * to which it goes ({@link #hash}).
 */
public final class ControlCopies implements Analyzer<PacketBlock, PacketBlock> {
  /** Above all numbers of the registry. */
  private static final int FIRST_LINK = 0xFF00;

  private static final int[] HASHES = hashes();

  private final int subtasks;
  private final PacketHeaders headers = new PacketHeaders();
  private final PacketBlock.Writer writer = new PacketBlock.Writer();

  /**
   * Copies for a step behind an exchange.
   *
   * @param subtasks that it has at most
   */
  public ControlCopies(int subtasks) {
    this.subtasks = subtasks;
  }

  /** A hash of each group. */
  private static int[] hashes() {
    int[] hashes = new int[KeyGroups.DEFAULT_MAX];
    boolean[] isFound = new boolean[hashes.length];
    int found = 0;
    for (int hash = 1; found < hashes.length; hash++) {
      int group = KeyGroups.groupOf(hash, hashes.length);
      if (!isFound[group]) {
        isFound[group] = true;
        hashes[group] = hash;
        found++;
      }
    }
    return hashes;
  }

  /** The hash by which a copy comes to its group; 0 for a packet that is no copy. */
  static int hash(int linkNumber) {
    return isCopy(linkNumber) ? HASHES[linkNumber - FIRST_LINK] : 0;
  }

  /** Whether the link number is that of a copy. */
  static boolean isCopy(int linkNumber) {
    return linkNumber >= FIRST_LINK && linkNumber < FIRST_LINK + HASHES.length;
  }

  @Override
  public void process(PacketBlock block, Emitter<PacketBlock> out) {
    int from = 0;
    for (int row = 0; row < block.rows(); row++) {
      if (isControl(block, row)) {
        emit(block, from, row, out);
        copy(block.time(row), out);
        from = row;
      }
    }
    if (from == 0) {
      out.emit(block);
    } else {
      emit(block, from, block.rows(), out);
    }
  }

  private boolean isControl(PacketBlock block, int row) {
    int length = block.end(row) - block.start(row);
    LinkType link = LinkType.of(block.linkNumber(row));
    return headers.read(link, block.bytes(), block.start(row), length, length)
        && GtpControl.isControl(headers);
  }

  private static void emit(PacketBlock block, int from, int to, Emitter<PacketBlock> out) {
    if (from < to) {
      int[] rows = new int[to - from];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = from + i;
      }
      out.emit(block.select(rows, rows.length));
    }
  }

  private void copy(long time, Emitter<PacketBlock> out) {
    int length = headers.end() - headers.ip();
    for (int subtask = 0; subtask < subtasks; subtask++) {
      int group = KeyGroups.of(HASHES.length, subtask, subtasks).first();
      writer.add(time, FIRST_LINK + group, 0, length, headers.bytes(), headers.ip(), length);
    }
    out.emit(writer.toBlock());
    writer.clear();
  }
}
