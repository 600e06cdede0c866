package io.millrace.lab.nexmark;

import io.millrace.traffic.model.SplitMix;
import io.millrace.wire.block.Texts;
import java.nio.charset.StandardCharsets;

/** Texts of the events, from a pool of random letters and from lists. Not thread-safe. */
final class NexmarkTexts {
  private static final byte[][] FIRST_NAMES =
      split("Peter,Paul,Luke,John,Saul,Vicky,Kate,Julie,Sarah,Deiter,Walter");
  private static final byte[][] LAST_NAMES =
      split("Shultz,Abrams,Spencer,White,Bartels,Walton,Smith,Jones,Noris");
  private static final byte[][] CITY_NAMES =
      split("Phoenix,Los Angeles,San Francisco,Boise,Portland,Bend,Redmond,Seattle,Kent,Cheyenne");
  private static final byte[][] STATE_NAMES = split("AZ,CA,ID,OR,WA,WY");
  private static final String[] HOT_CHANNELS = {"Google", "Facebook", "Baidu", "Apple"};
  private static final int OTHER_CHANNELS = 10_000;
  private static final byte[] DOT_COM = {'.', 'c', 'o', 'm'};

  static final int NAMES = FIRST_NAMES.length * LAST_NAMES.length;
  static final int CITIES = CITY_NAMES.length;
  static final int STATES = STATE_NAMES.length;

  /** A power of two, and longer than any text. */
  private static final int POOL = 1 << 16;

  private static final int LONGEST = 1_000;

  private final byte[] pool = new byte[POOL + LONGEST];
  private final byte[][] channels = new byte[HOT_CHANNELS.length + OTHER_CHANNELS][];
  private final byte[][] urls = new byte[channels.length][];
  private final byte[] scratch = new byte[64];

  NexmarkTexts(long seed) {
    long random = seed;
    for (int i = 0; i < pool.length; i++) {
      random = SplitMix.mix(random + i);
      pool[i] = (byte) ('a' + Long.remainderUnsigned(random, 26));
    }
    for (int i = 0; i < channels.length; i++) {
      boolean hot = i < HOT_CHANNELS.length;
      int number = i - HOT_CHANNELS.length;
      channels[i] = bytes(hot ? HOT_CHANNELS[i] : "channel-" + number);
      random = SplitMix.mix(random + i);
      String url =
          "https://www.nexmark.com/"
              + letters(random)
              + '/'
              + letters(random >>> 16)
              + '/'
              + letters(random >>> 32)
              + "/item.htm?query=1";
      boolean named = !hot && Long.remainderUnsigned(random, 10) > 0;
      urls[i] = bytes(named ? url + "&channel_id=" + Math.abs(Integer.reverse(number)) : url);
    }
  }

  private static byte[][] split(String list) {
    String[] texts = list.split(",", -1);
    byte[][] all = new byte[texts.length][];
    for (int i = 0; i < all.length; i++) {
      all[i] = bytes(texts[i]);
    }
    return all;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Three or four letters, as the parts of a URL have. */
  private String letters(long random) {
    int at = (int) random & (POOL - 1);
    return new String(pool, at, 3 + ((int) random & 1), StandardCharsets.US_ASCII);
  }

  void addLetters(Texts column, long random, int length) {
    column.add(pool, (int) random & (POOL - 1), length);
  }

  /** One of four hot channels for half of the bids, and one of ten thousand for the others. */
  void addChannel(Texts channelColumn, Texts urlColumn, long random) {
    int which = (int) (random >>> 33);
    int i =
        random < 0
            ? which & (HOT_CHANNELS.length - 1)
            : HOT_CHANNELS.length + (int) (((long) which * OTHER_CHANNELS) >>> 31);
    channelColumn.add(channels[i], 0, channels[i].length);
    urlColumn.add(urls[i], 0, urls[i].length);
  }

  int addName(Texts column, int which) {
    byte[] first = FIRST_NAMES[which % FIRST_NAMES.length];
    byte[] last = LAST_NAMES[which / FIRST_NAMES.length];
    System.arraycopy(first, 0, scratch, 0, first.length);
    scratch[first.length] = ' ';
    System.arraycopy(last, 0, scratch, first.length + 1, last.length);
    return add(column, scratch, first.length + 1 + last.length);
  }

  int addEmail(Texts column, long random) {
    int user = 3 + (int) ((random >>> 16) & 3);
    int host = 3 + (int) ((random >>> 18) & 1);
    int at = (int) random & (POOL - 1);
    System.arraycopy(pool, at, scratch, 0, user);
    scratch[user] = '@';
    System.arraycopy(pool, at + user, scratch, user + 1, host);
    System.arraycopy(DOT_COM, 0, scratch, user + 1 + host, DOT_COM.length);
    return add(column, scratch, user + 1 + host + DOT_COM.length);
  }

  /** Four groups of four digits. */
  int addCreditCard(Texts column, long random) {
    long rest = random;
    for (int i = 0; i < 19; i++) {
      scratch[i] = (byte) (i % 5 == 4 ? ' ' : '0' + Long.remainderUnsigned(rest, 10));
      rest = Long.rotateRight(rest, 3);
    }
    return add(column, scratch, 19);
  }

  int addCity(Texts column, int which) {
    return add(column, CITY_NAMES[which], CITY_NAMES[which].length);
  }

  int addState(Texts column, int which) {
    return add(column, STATE_NAMES[which], STATE_NAMES[which].length);
  }

  private static int add(Texts column, byte[] text, int length) {
    column.add(text, 0, length);
    return length;
  }
}
