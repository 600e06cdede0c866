package io.millrace.wire.netflow;

import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.nat.NatEvents;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Observer that counts events. */
class Counting implements Observations {
  final TableBlock events = new TableBlock(NatEvents.SCHEMA, 16);

  final Map<RejectReason, Integer> rejects = new EnumMap<>(RejectReason.class);
  final List<Long> rejected = new ArrayList<>();
  int templates;
  int changed;
  int unknownSampling;
  long lost;
  int doubts;
  int held;
  int decoded;
  int dropped;
  int evicted;

  @Override
  public void reject(RejectReason reason, int offset) {
    rejects.merge(reason, 1, Integer::sum);
  }

  @Override
  public void templates(int change) {
    templates += change;
  }

  @Override
  public void templateChanged(int templateId) {
    changed++;
  }

  @Override
  public void unknownSampling(int rows) {
    unknownSampling += rows;
  }

  @Override
  public void rateRejected(long rate) {
    rejected.add(rate);
  }

  @Override
  public void recordsLost(long records) {
    lost += records;
  }

  @Override
  public void sequenceDoubted() {
    doubts++;
  }

  @Override
  public void held(int bytes) {
    held += bytes;
  }

  @Override
  public void heldDecoded(int bytes) {
    decoded += bytes;
  }

  @Override
  public void heldDropped(int bytes) {
    dropped += bytes;
  }

  @Override
  public void sessionEvicted() {
    evicted++;
  }

  @Override
  public TableBlock natEvents() {
    return events;
  }
}
