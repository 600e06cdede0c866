package io.millrace.analytics.gateway;

import io.millrace.analytics.KeyGroups;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import java.io.IOException;
import java.util.Set;

/** State of {@link GatewayDays}: a version, the number of records per series, four tables. */
final class GatewayState {
  private static final int VERSION = 1;

  private final KeyGroups groups;
  private final GatewayDaysConfig config;
  private final Days days;
  private final LongIds ids;
  private final UsualHours usual;
  private Series series;
  private boolean isRestoring;
  private long sweptDay;

  GatewayState(KeyGroups groups, GatewayDaysConfig config) {
    this.groups = groups;
    this.config = config;
    series = new Series(groups, config.lateRecords());
    days = new Days(groups);
    ids = new LongIds(groups);
    usual = new UsualHours(groups, config.alertGateways());
  }

  /** The series; a different object after {@link #settleRestored} has returned true. */
  Series series() {
    return series;
  }

  Days days() {
    return days;
  }

  LongIds ids() {
    return ids;
  }

  UsualHours usual() {
    return usual;
  }

  StateSnapshot snapshot() {
    return new Snapshot(
        series.slots(),
        StateSnapshot.of(
            series.table().snapshot(),
            days.table().snapshot(),
            ids.table().snapshot(),
            usual.table().snapshot()));
  }

  void restore(BlockInput in) {
    in.takeVersion(VERSION, "state of gateways");
    int slots = in.takeByte();
    if (slots != series.slots()) {
      if (series.table().size() > 0) {
        throw in.broken(
            "records per series: " + slots + ", expected " + series.slots() + " as before");
      }
      series = new Series(groups, slots);
    }
    series.table().restore(in);
    days.table().restore(in);
    ids.table().restore(in);
    usual.table().restore(in);
    isRestoring = true;
  }

  /** Called before processing; returns whether there was a restore since the last call. */
  boolean settleRestored() {
    if (!isRestoring) {
      return false;
    }
    isRestoring = false;
    series.bind();
    if (series.slots() != config.lateRecords()) {
      Series restored = series;
      series = new Series(groups, config.lateRecords());
      for (int entry = 0; entry < restored.table().size(); entry++) {
        series.copy(restored, entry);
      }
    }
    days.restored();
    return true;
  }

  /** Removes idle gateways, once a day; returns whether entries may have moved. */
  boolean forget(long today) {
    if (today <= sweptDay) {
      return false;
    }
    boolean isFirst = sweptDay == 0;
    sweptDay = today;
    if (isFirst) {
      return false;
    }
    long last = today - config.forget().toDays();
    for (int entry = series.table().size() - 1; entry >= 0; entry--) {
      if (series.lastArrivalDay(entry) < last && series.interval[entry] == 0) {
        forget(entry);
      }
    }
    days.removeIf(this::isGone);
    // Days of removed gateways, or of those without series, whose rows are not emitted yet.
    Set<Gateway> left = days.changed(this::isGone);
    ids.retain(
        (hash, first, gateway) ->
            !isGone(hash, first, gateway) || left.contains(new Gateway(first, gateway)));
    return true;
  }

  record Gateway(long first, long second) {}

  private void forget(int entry) {
    int hash = series.table().hash(entry);
    long first = series.table().key(entry, 0);
    long second = series.table().key(entry, 1);
    series.table().remove(entry);
    int known = usual.table().find(hash, first, second);
    if (known >= 0) {
      usual.table().remove(known);
    }
    if (GatewayKey.isLong(second) && isGone(hash, first, GatewayKey.gateway(second))) {
      ids.remove(hash, first, GatewayKey.gateway(second));
    }
  }

  private boolean isGone(int hash, long first, long gateway) {
    for (int form = 1; form <= 3; form++) {
      if (series.find(hash, first, GatewayKey.withForm(gateway, form)) >= 0) {
        return false;
      }
    }
    return true;
  }

  void clear() {
    series.table().clear();
    series.bind();
    days.clear();
    ids.table().clear();
    usual.table().clear();
  }

  private record Snapshot(int slots, StateSnapshot tables) implements StateSnapshot {
    @Override
    public boolean isEmpty(int group) {
      return tables.isEmpty(group);
    }

    @Override
    public void write(int group, BlockBuffer out) throws IOException {
      header(out);
      tables.write(group, out);
    }

    private void header(BlockBuffer out) {
      out.putByte(VERSION);
      out.putByte(slots);
    }

    @Override
    public boolean hasChangesSince(StateSnapshot before) {
      return before instanceof Snapshot snapshot
          && snapshot.slots == slots
          && tables.hasChangesSince(snapshot.tables);
    }

    @Override
    public boolean writeChanges(int group, StateSnapshot before, BlockBuffer out)
        throws IOException {
      header(out);
      return tables.writeChanges(group, ((Snapshot) before).tables, out);
    }

    @Override
    public void release() {
      tables.release();
    }
  }
}
