package io.millrace.analytics.voice;

import io.millrace.wire.block.TableBlock;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Straightforward implementation of the rules: examines all earlier records at each moment. */
final class PlainVoice {
  /** Bytes of a message. */
  record Message(long time, long controller, long bytes) {}

  /** A share of voice channels, and its log position. */
  record Share(long time, long controller, double inUse, int partition, long offset, int index) {}

  private static final Comparator<Share> ORDER =
      Comparator.comparingLong(Share::time)
          .thenComparingInt(Share::partition)
          .thenComparingLong(Share::offset)
          .thenComparingInt(Share::index);

  private PlainVoice() {}

  /** The commands between two moments, as testers print rows. */
  static String[] commands(
      List<Message> messages, List<Share> shares, VoiceRules rules, long from, long until) {
    List<String> printed = new ArrayList<>();
    messages.stream()
        .map(Message::controller)
        .distinct()
        .forEach(each -> addCommands(each, messages, shares, rules, from, until, printed));
    return printed.toArray(String[]::new);
  }

  private static void addCommands(
      long controller,
      List<Message> messages,
      List<Share> shares,
      VoiceRules rules,
      long from,
      long until,
      List<String> printed) {
    boolean limited = false;
    long calm = 0; // number of calm steps
    for (long moment = from; moment <= until; moment += rules.stepMicros()) {
      long begin = moment - rules.windowMicros();
      long end = moment;
      long sum =
          messages.stream()
              .filter(each -> each.controller == controller)
              .filter(each -> each.time >= begin && each.time < end)
              .mapToLong(Message::bytes)
              .sum();
      double share =
          shares.stream()
              .filter(each -> each.controller == controller)
              .filter(each -> each.time >= begin && each.time < end)
              .max(ORDER)
              .map(Share::inUse)
              .orElse(Double.NaN);
      calm = share < rules.voiceBelow() || sum < rules.volumeBelow() ? calm + 1 : 0;
      boolean before = limited;
      if (!limited && share > rules.voiceAbove() && sum > rules.volumeAbove()) {
        limited = true;
      } else if (limited && (calm - 1) * rules.stepMicros() >= rules.holdMicros()) {
        limited = false;
      }
      if (limited != before) {
        String shown = Double.isNaN(share) ? "null" : Double.toString(share);
        String command = limited ? VoiceGuard.LIMIT : VoiceGuard.RELEASE;
        printed.add("%d %d %s %d %s".formatted(moment, controller, command, sum, shown));
      }
    }
  }

  /** One row for each message. */
  static TableBlock volumes(List<Message> messages, VoiceRules rules) {
    TableBlock block = new TableBlock(VoiceRecords.VOLUMES, messages.size());
    for (int i = 0; i < messages.size(); i++) {
      Message message = messages.get(i);
      block.longs(VoiceRecords.TIME)[i] = rules.lastOfStep(message.time);
      block.longs(VoiceRecords.CONTROLLER)[i] = message.controller;
      block.longs(VoiceRecords.BYTES)[i] = message.bytes;
      block.longs(VoiceRecords.MESSAGES_COUNT)[i] = 1;
    }
    block.rows(messages.size());
    return block;
  }

  static TableBlock channels(List<Share> shares) {
    TableBlock block = new TableBlock(VoiceRecords.CHANNELS.columnsWithPlace(), shares.size());
    for (int i = 0; i < shares.size(); i++) {
      Share share = shares.get(i);
      block.longs(VoiceRecords.TIME)[i] = share.time;
      block.longs(VoiceRecords.CONTROLLER)[i] = share.controller;
      block.doubles(VoiceRecords.IN_USE)[i] = share.inUse;
      block.longs(VoiceRecords.PARTITION)[i] = share.partition;
      block.longs(VoiceRecords.OFFSET)[i] = share.offset;
      block.longs(VoiceRecords.INDEX)[i] = share.index;
    }
    block.rows(shares.size());
    return block;
  }
}
