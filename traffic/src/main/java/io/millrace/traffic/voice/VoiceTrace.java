package io.millrace.traffic.voice;

import io.millrace.traffic.model.SplitMix;

/**
 * Synthetic messages of an application in the cells of base station controllers, and the
 * controllers' reports on voice channels every ten seconds. A tenth of the controllers is hot: from
 * minute 5 to minute 10 of every 20 minutes, they have a quarter of all messages and use 95% of
 * their voice channels; at other times 50%, like the other controllers. Times increase evenly, with
 * up to 50 ms of disorder. The same settings give the same records. Not thread-safe.
 *
 * <p>Subscriber numbers begin with 999, which is unassigned.
 */
public final class VoiceTrace {
  /** Cells of a controller. */
  public static final int CELLS = 50;

  private static final long MICROS = 1_000_000;
  private static final long FIRST_MSISDN = 999_000_000_000L;
  private static final int SUBSCRIBERS = 1_000_000;
  private static final int MAX_LATE_MICROS = 50_000;
  private static final int MAX_CONTROLLERS = 10_000;
  private static final int MIN_BYTES = 2_000;
  private static final long REPORT_INTERVAL = 10 * MICROS;
  private static final long CYCLE = 20 * 60 * MICROS;
  private static final long BUSY_FROM = 5 * 60 * MICROS;
  private static final long BUSY_UNTIL = 10 * 60 * MICROS;
  private static final int AREA_CONTROLLERS = 10;
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;

  private final int controllers;
  private final int hot;
  private final long startMicros;
  private final double microsAMessage;
  private long state;
  private long messages;
  private long reports;

  private boolean isMessage;
  private long time;
  private long msisdn;
  private int controller;
  private int cell;
  private long bytes;
  private double inUse;

  /**
   * Creates a trace, before its first record.
   *
   * @param controllers number of controllers, 1 to 10,000
   * @param startMicros time of the first record
   * @param messagesPerSecond of event time; more than 0
   * @param seed of all choices
   */
  public VoiceTrace(int controllers, long startMicros, double messagesPerSecond, long seed) {
    if (controllers < 1 || controllers > MAX_CONTROLLERS) {
      throw new IllegalArgumentException(
          "controllers: " + controllers + ", expected 1 to " + MAX_CONTROLLERS);
    }
    if (!(messagesPerSecond > 0)) {
      throw new IllegalArgumentException(
          "messages per second: " + messagesPerSecond + ", expected above 0");
    }
    this.controllers = controllers;
    hot = Math.max(1, controllers / 10);
    this.startMicros = startMicros;
    microsAMessage = MICROS / messagesPerSecond;
    state = SplitMix.mix(seed);
  }

  /** Moves to the next record. */
  public void next() {
    state += STEP;
    long random = SplitMix.mix(state);
    long disorder = ((random >>> 48) * MAX_LATE_MICROS) >>> 16;
    long reportDue = reports * (REPORT_INTERVAL / controllers);
    isMessage = reportDue > moment() - startMicros;
    if (isMessage) {
      nextMessage(random);
    } else {
      controller = (int) (reports++ % controllers);
      boolean isBusy = controller < hot && isBusy(reportDue);
      inUse = ((isBusy ? 94 : 49) + (random & 3)) / 100.0;
      time = startMicros + reportDue;
    }
    time += MAX_LATE_MICROS - disorder;
  }

  private void nextMessage(long random) {
    long moment = (long) (messages++ * microsAMessage);
    boolean isHot = (random & 3) == 0 && isBusy(moment);
    controller = (int) (((random >>> 2 & 0xFFFF) * (isHot ? hot : controllers)) >>> 16);
    cell = (int) (((random >>> 18 & 0xFFF) * CELLS) >>> 12);
    bytes = MIN_BYTES + (random >>> 30 & 0x7FFF);
    msisdn = FIRST_MSISDN + (random >>> 20) % SUBSCRIBERS;
    time = startMicros + moment;
  }

  private static boolean isBusy(long sinceStart) {
    long moment = sinceStart % CYCLE;
    return moment >= BUSY_FROM && moment < BUSY_UNTIL;
  }

  /** Lower bound of the times of later records. */
  public long moment() {
    return startMicros + (long) (messages * microsAMessage);
  }

  /** Whether the record is a message; otherwise it is a controller's report. */
  public boolean isMessage() {
    return isMessage;
  }

  /** Time of the record, microseconds since the epoch. */
  public long time() {
    return time;
  }

  /** The subscriber of a message. */
  public long msisdn() {
    return msisdn;
  }

  /** The controller, from 0 on, of the message's cell or of the report. */
  public int controller() {
    return controller;
  }

  /** The location area of a message, from 1 on. */
  public int area() {
    return areaOf(controller);
  }

  /** The location area of a controller. */
  public static int areaOf(int controller) {
    return 1 + controller / AREA_CONTROLLERS;
  }

  /** The cell of a message; numbers are unique. */
  public int cell() {
    return cellOf(controller, cell);
  }

  /** One of the {@link #CELLS} cells of a controller, counted from 0. */
  public static int cellOf(int controller, int cell) {
    return controller * CELLS + cell;
  }

  /** The cells of all controllers, as the CSV file of the pipeline's look-up. */
  public static String cellsText(int controllers) {
    StringBuilder csv = new StringBuilder("area,cell,controller\n");
    for (int controller = 0; controller < controllers; controller++) {
      for (int cell = 0; cell < CELLS; cell++) {
        csv.append(areaOf(controller))
            .append(',')
            .append(cellOf(controller, cell))
            .append(',')
            .append(controller)
            .append('\n');
      }
    }
    return csv.toString();
  }

  /** The bytes of a message. */
  public long bytes() {
    return bytes;
  }

  /** The share of voice channels in use in a controller's report. */
  public double inUse() {
    return inUse;
  }
}
