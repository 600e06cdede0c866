package io.millrace.traffic.ads;

import io.millrace.traffic.model.SplitMix;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Synthetic events of the published advertisement benchmark: {@value #CAMPAIGNS} campaigns of
 * {@value #ADS_A_CAMPAIGN} ads, each event has a random ad, ad type, event type, and one of a
 * hundred users and pages, as JSON of about 250 bytes. Times increase evenly. The same settings
 * give the same events. Not thread-safe.
 */
public final class AdTrace {
  /** Number of campaigns. */
  public static final int CAMPAIGNS = 100;

  /** Number of ads of each campaign. */
  public static final int ADS_A_CAMPAIGN = 10;

  private static final int STRANGERS = 100;
  private static final int DRAWS = 1 << 12;
  private static final int SKEW_MILLIS = 50;
  private static final int LATE_ONE_IN = 100_000;
  private static final int MAX_LATE_MILLIS = 60_000;
  private static final long STEP = 0x9E37_79B9_7F4A_7C15L;
  private static final String[] AD_TYPES = {
    "banner", "modal", "sponsored-search", "mail", "mobile"
  };
  private static final String[] EVENT_TYPES = {"view", "click", "purchase"};

  private final List<String> campaigns = new ArrayList<>();
  private final byte[][] users = new byte[STRANGERS][];
  private final byte[][] pages = new byte[STRANGERS][];
  private final byte[][] ads = new byte[CAMPAIGNS * ADS_A_CAMPAIGN][];
  private final byte[][] kinds = new byte[AD_TYPES.length * EVENT_TYPES.length][];
  private final byte[] end = bytes("\", \"ip_address\": \"1.2.3.4\"}");
  private final byte[] text = new byte[512];
  private final int[] campaignAt = new int[DRAWS];
  private final long startMillis;
  private final double millisAnEvent;
  private final boolean isDisordered;
  private long state;
  private long made;

  private int campaign;
  private boolean isView;
  private long time;

  /**
   * Creates a trace, before its first event.
   *
   * @param startMillis time of the first event
   * @param eventsPerSecond of event time
   * @param isSkewed whether campaigns follow Zipf's law instead of being uniform
   * @param isDisordered whether times are up to 50 ms off, and one event in 100,000 is up to a
   *     minute late
   * @param seed of all choices, and of the ids
   */
  public AdTrace(
      long startMillis, double eventsPerSecond, boolean isSkewed, boolean isDisordered, long seed) {
    if (!(eventsPerSecond > 0)) {
      throw new IllegalArgumentException(
          "events per second: " + eventsPerSecond + ", expected above 0");
    }
    this.startMillis = startMillis;
    this.isDisordered = isDisordered;
    millisAnEvent = 1e3 / eventsPerSecond;
    state = SplitMix.mix(seed);
    for (int i = 0; i < STRANGERS; i++) {
      users[i] = bytes("{\"user_id\": \"" + id());
      pages[i] = bytes("\", \"page_id\": \"" + id());
    }
    for (int i = 0; i < CAMPAIGNS; i++) {
      campaigns.add(id());
    }
    for (int i = 0; i < ads.length; i++) {
      ads[i] = bytes("\", \"ad_id\": \"" + id());
    }
    for (int i = 0; i < kinds.length; i++) {
      kinds[i] =
          bytes(
              "\", \"ad_type\": \"%s\", \"event_type\": \"%s\", \"event_time\": \""
                  .formatted(
                      AD_TYPES[i / EVENT_TYPES.length], EVENT_TYPES[i % EVENT_TYPES.length]));
    }
    drawCampaigns(isSkewed);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private long random() {
    state += STEP;
    return SplitMix.mix(state);
  }

  private String id() {
    return new UUID(random(), random()).toString();
  }

  /** Assigns draws to campaigns; each campaign has at least one. */
  private void drawCampaigns(boolean isSkewed) {
    double all = 0;
    for (int i = 0; i < CAMPAIGNS; i++) {
      all += isSkewed ? 1.0 / (i + 1) : 1;
    }
    double sum = 0;
    int draw = 0;
    for (int i = 0; i < CAMPAIGNS; i++) {
      sum += isSkewed ? 1.0 / (i + 1) : 1;
      while (draw < Math.round(sum / all * DRAWS)) {
        campaignAt[draw++] = i;
      }
    }
  }

  /** The ads of each campaign. */
  public Map<String, List<String>> ads() {
    Map<String, List<String>> byCampaign = new LinkedHashMap<>();
    for (int i = 0; i < ads.length; i++) {
      String field = new String(ads[i], StandardCharsets.US_ASCII);
      byCampaign
          .computeIfAbsent(campaigns.get(i / ADS_A_CAMPAIGN), none -> new ArrayList<>())
          .add(field.substring(field.lastIndexOf('"') + 1));
    }
    return byCampaign;
  }

  /**
   * Moves to the next event.
   *
   * @return a copy of its text
   */
  public byte[] next() {
    long random = random();
    campaign = campaignAt[(int) random & (DRAWS - 1)];
    int ad = campaign * ADS_A_CAMPAIGN + below(random >>> 12, ADS_A_CAMPAIGN);
    int kind = below(random >>> 22, kinds.length);
    isView = kind % EVENT_TYPES.length == 0;
    time = startMillis + (long) (made++ * millisAnEvent);
    if (isDisordered) {
      long other = random();
      time += SKEW_MILLIS - Long.remainderUnsigned(other, 2 * SKEW_MILLIS);
      boolean isLate = Long.remainderUnsigned(other >>> 20, LATE_ONE_IN) == 0;
      time -= isLate ? Long.remainderUnsigned(random(), MAX_LATE_MILLIS) : 0;
    }
    int length = put(users[below(random >>> 32, STRANGERS)], 0);
    length = put(pages[below(random >>> 44, STRANGERS)], length);
    length = put(ads[ad], length);
    length = put(kinds[kind], length);
    length = putTime(length);
    return Arrays.copyOf(text, put(end, length));
  }

  /** A number from 0 to {@code bound - 1}; only the lowest ten bits need be random. */
  private static int below(long bits, int bound) {
    return (int) (((bits & 0x3FF) * bound) >>> 10);
  }

  private int put(byte[] part, int at) {
    System.arraycopy(part, 0, text, at, part.length);
    return at + part.length;
  }

  /** Writes the time in thirteen digits, which suffice until the year 2286. */
  private int putTime(int at) {
    long left = time;
    for (int i = at + 12; i >= at; i--) {
      text[i] = (byte) ('0' + left % 10);
      left /= 10;
    }
    return at + 13;
  }

  /** Number of events generated so far. */
  public long made() {
    return made;
  }

  /** Number of the event's campaign, from 0. */
  public int campaignNumber() {
    return campaign;
  }

  /** Whether the event is a view, which is counted. */
  public boolean isView() {
    return isView;
  }

  /** The event's time, milliseconds since the epoch. */
  public long time() {
    return time;
  }
}
