package io.millrace.analytics.voice;

import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.analytics.Output;
import io.millrace.analytics.keyed.EventRows;
import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.KeyTable;
import io.millrace.analytics.keyed.StateHead;
import io.millrace.analytics.keyed.StateSnapshot;
import io.millrace.analytics.keyed.TwoInputAnalyzer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.TableBlock;
import java.util.List;

/**
 * Join of controllers' volumes ({@link VoiceRecords#VOLUMES}) with the used shares of their voice
 * channels ({@link VoiceRecords#CHANNELS} with their log positions) to commands ({@link
 * VoiceRecords#COMMANDS}).
 *
 * <p>Time is divided into steps. A moment is the end of a step, at which each controller is
 * evaluated by the window before it, [moment − window, moment): the sum of the bytes, and the
 * newest share.
 *
 * <pre>
 *   step       |----|----|----|----|----|----|
 *   bytes         3    5         2
 *   moment          1    2    3    4    5    6      with a window of four steps
 *   sum             3    8    8   10    7    2
 * </pre>
 *
 * A step's bytes are added at its end and subtracted a window later, so the messages of a step may
 * come in any order. Moments without changes are skipped.
 *
 * <p>State: 56 bytes for each step of the window in which a controller has volume, and 60 for each
 * controller with volume, a valid share, or a limit.
 */
public final class VoiceGuard implements TwoInputAnalyzer<TableBlock, TableBlock, TableBlock> {
  /** Command that starts a limit; also the state while it lasts. */
  public static final String LIMIT = "limit";

  /** Command that ends it. */
  public static final String RELEASE = "release";

  /** States of controllers ({@link VoiceRecords#CONTROLLERS}). */
  public static final Output<TableBlock> STATES = Output.ofTable("states");

  /** Counter: commands. */
  public static final String COMMANDS = "commands";

  /** Counter: late messages. */
  public static final String LATE_MESSAGES = "lateMessages";

  /** Counter: late shares. */
  public static final String LATE_CHANNELS = "lateChannels";

  private static final StateHead HEAD = new StateHead('V', 1, "state of voice");
  private static final String FREE = "free";
  private static final int INDEX_BITS = 24; // maximum number of records in a value of the log

  // Columns of waiting rows. Rows of the same controller and moment are processed consecutively.
  private static final int WHO = 0;
  private static final int KIND = 1;
  private static final int VALUE = 4;
  private static final int WAITING_COLUMNS = 5;

  // Kinds of waiting rows, in the order of processing at equal time.
  private static final long SHARE = 0;
  private static final long VOLUME = 1;
  private static final long CHECK = 2;

  // Columns of a controller's state. A moment of 0 means none.
  private static final int SUM = 0;
  private static final int SHARE_BITS = 1;
  private static final int SHARE_MOMENT = 2;
  private static final int LIMITED_SINCE = 3;
  private static final int CALM_SINCE = 4;
  private static final int REPORT_AT = 5;
  private static final int CONTROLLER_COLUMNS = 6;

  private final VoiceRules rules;
  private AnalyzerContext context;
  private AnalyzerContext.Counter given;
  private AnalyzerContext.Counter lateMessages;
  private AnalyzerContext.Counter lateChannels;
  private EventRows waiting;
  private KeyTable controllers;
  private TableBlock commands;
  private TableBlock states;

  // The controller that is evaluated after all its rows of the moment.
  private boolean isPending;
  private long pendingLast;
  private int pendingHash;
  private long pendingController;
  private long added;
  private long change;

  /** An unopened guard. */
  public VoiceGuard(VoiceRules rules) {
    this.rules = rules;
  }

  @Override
  public List<Output<?>> outputs() {
    return List.of(STATES);
  }

  @Override
  public void open(AnalyzerContext opened) {
    context = opened;
    given = context.counter(COMMANDS);
    lateMessages = context.counter(LATE_MESSAGES);
    lateChannels = context.counter(LATE_CHANNELS);
    waiting = new EventRows(context.keyGroups(), WAITING_COLUMNS);
    controllers = new KeyTable(context.keyGroups(), 1, CONTROLLER_COLUMNS);
    context.gauge("controllers", controllers::size);
    context.gauge("waitingRows", waiting::size);
  }

  @Override
  public void processFirst(TableBlock volumes, Emitter<TableBlock> out) {
    long[] lasts = volumes.longs(VoiceRecords.TIME);
    long[] ids = volumes.longs(VoiceRecords.CONTROLLER);
    long[] bytes = volumes.longs(VoiceRecords.BYTES);
    long late = 0;
    for (int row = 0; row < volumes.rows(); row++) {
      if (lasts[row] <= context.currentWatermark()) {
        late += volumes.longs(VoiceRecords.MESSAGES_COUNT)[row];
      } else {
        waiting.add(lasts[row], Hash.of(ids[row]), ids[row], VOLUME, 0, 0, bytes[row]);
      }
    }
    lateMessages.add(late);
  }

  @Override
  public void processSecond(TableBlock channels, Emitter<TableBlock> out) {
    long[] times = channels.longs(VoiceRecords.TIME);
    int late = 0;
    for (int row = 0; row < channels.rows(); row++) {
      if (times[row] <= context.currentWatermark()) {
        late++;
      } else {
        await(channels, row, times[row]);
      }
    }
    lateChannels.add(late);
  }

  private void await(TableBlock channels, int row, long time) {
    long controller = channels.longs(VoiceRecords.CONTROLLER)[row];
    int hash = Hash.of(controller);
    waiting.add(
        time,
        hash,
        controller,
        SHARE,
        channels.longs(VoiceRecords.PARTITION)[row],
        channels.longs(VoiceRecords.OFFSET)[row] << INDEX_BITS
            | channels.longs(VoiceRecords.INDEX)[row],
        Double.doubleToLongBits(channels.doubles(VoiceRecords.IN_USE)[row]));
    long last = rules.lastOfStep(time);
    check(last, hash, controller);
    check(last + rules.windowMicros(), hash, controller);
  }

  private void check(long last, int hash, long controller) {
    waiting.add(last, hash, controller, CHECK, 0, 0, 0);
  }

  @Override
  public void watermark(long micros, Emitter<TableBlock> out) throws Exception {
    commands = new TableBlock(VoiceRecords.COMMANDS, 0);
    states = new TableBlock(VoiceRecords.CONTROLLERS, 0);
    while (waiting.size() > 0 && waiting.next() <= micros) {
      // Once is enough, since evaluation only adds checks at later times.
      waiting.fire(waiting.next(), this::due);
      judgePending();
    }
    if (commands.rows() > 0) {
      out.emit(commands);
    }
    if (states.rows() > 0) {
      out.emit(STATES, states);
    }
  }

  private void due(long time, int hash, long[] row) {
    if (row[WHO] != pendingController) {
      judgePending();
    }
    if (row[KIND] == SHARE) {
      int entry = controllers.entry(hash, row[WHO]);
      controllers.values(SHARE_BITS)[entry] = row[VALUE];
      controllers.values(SHARE_MOMENT)[entry] = rules.lastOfStep(time) + 1;
      return;
    }
    isPending = true;
    pendingLast = time;
    pendingHash = hash;
    pendingController = row[WHO];
    added += Math.max(0, row[VALUE]);
    change += row[VALUE];
  }

  private void judgePending() {
    if (!isPending) {
      return;
    }
    isPending = false;
    if (change == 0 && controllers.find(pendingHash, pendingController) < 0) {
      return; // a check of a controller without state
    }
    int entry = controllers.entry(pendingHash, pendingController);
    controllers.values(SUM)[entry] += change;
    if (added > 0) {
      waiting.add(
          pendingLast + rules.windowMicros(), pendingHash, pendingController, VOLUME, 0, 0, -added);
    }
    added = 0;
    change = 0;
    long moment = pendingLast + 1;
    boolean isCommanded = judge(entry, moment);
    report(entry, moment, isCommanded);
    if (isIdle(entry, moment)) {
      controllers.remove(entry);
    }
  }

  private boolean judge(int entry, long moment) {
    long sum = controllers.values(SUM)[entry];
    double share =
        share(entry, moment); // an unknown share is NaN, which is neither above nor below
    long[] limitedSince = controllers.values(LIMITED_SINCE);
    long[] calmSince = controllers.values(CALM_SINCE);
    if (limitedSince[entry] == 0) {
      if (share > rules.voiceAbove() && sum > rules.volumeAbove()) {
        limitedSince[entry] = moment;
        command(entry, moment, LIMIT);
        return true;
      }
    } else if (!(share < rules.voiceBelow() || sum < rules.volumeBelow())) {
      calmSince[entry] = 0;
    } else {
      if (calmSince[entry] == 0) {
        calmSince[entry] = moment;
        check(moment - 1 + rules.holdMicros(), controllers.hash(entry), controllers.key(entry, 0));
      }
      if (moment - calmSince[entry] >= rules.holdMicros()) {
        limitedSince[entry] = 0;
        calmSince[entry] = 0;
        command(entry, moment, RELEASE);
        return true;
      }
    }
    return false;
  }

  /** The newest share of the window; NaN if there is none. */
  private double share(int entry, long moment) {
    return moment < controllers.values(SHARE_MOMENT)[entry] + rules.windowMicros()
        ? Double.longBitsToDouble(controllers.values(SHARE_BITS)[entry])
        : Double.NaN;
  }

  private void report(int entry, long moment, boolean isCommanded) {
    long[] reportAt = controllers.values(REPORT_AT);
    long interval = rules.reportMicros();
    long next = moment + Math.floorMod(-moment, interval);
    if (isCommanded || moment == next) {
      reportAt[entry] = 0;
      state(entry, moment);
    } else if (reportAt[entry] == 0) {
      reportAt[entry] = next;
      check(next - 1, controllers.hash(entry), controllers.key(entry, 0));
    }
  }

  private boolean isIdle(int entry, long moment) {
    return controllers.values(SUM)[entry] == 0
        && Double.isNaN(share(entry, moment))
        && controllers.values(LIMITED_SINCE)[entry] == 0
        && controllers.values(REPORT_AT)[entry] == 0;
  }

  private void command(int entry, long moment, String command) {
    given.add(1);
    commands.reserve(1);
    int row = commands.rows();
    commands.longs(0)[row] = moment;
    commands.longs(1)[row] = controllers.key(entry, 0);
    commands.texts(2).add(command);
    commands.longs(3)[row] = controllers.values(SUM)[entry];
    commands.doubles(4)[row] = share(entry, moment);
    commands.rows(row + 1);
  }

  private void state(int entry, long moment) {
    long since = controllers.values(LIMITED_SINCE)[entry];
    states.reserve(1);
    int row = states.rows();
    states.longs(0)[row] = controllers.key(entry, 0);
    states.longs(1)[row] = moment;
    states.texts(2).add(since == 0 ? FREE : LIMIT);
    states.longs(3)[row] = controllers.values(SUM)[entry];
    states.doubles(4)[row] = share(entry, moment);
    states.longs(5)[row] = since == 0 ? TableBlock.NULL : since;
    states.rows(row + 1);
  }

  @Override
  public StateSnapshot snapshot() {
    return StateSnapshot.of(waiting.snapshot(), controllers.snapshot()).withHeader(HEAD.bits());
  }

  @Override
  public void restore(int group, BlockInput in) {
    HEAD.take(in);
    waiting.restore(in);
    controllers.restore(in);
  }
}
