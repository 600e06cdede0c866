package io.millrace.wire.goflow2;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.block.Rejects;
import io.millrace.wire.message.JoinedTexts;
import io.millrace.wire.message.MessageBuffer;
import io.millrace.wire.message.OutputColumns;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class FlowMessagePropertyTest {
  private static final OutputColumns COLUMNS = OutputColumns.all(List.of());
  private static final Rejects NONE =
      (reason, offset) -> {
        throw new AssertionError(reason + " at " + offset);
      };

  @Property(tries = 300)
  void decodeAfterEncodeIsIdentity(@ForAll long seed, @ForAll @IntRange(max = 20) int rows) {
    FlowBlock block = Rows.tellable(new Random(seed), rows);
    FlowMessageEncoder encoder = new FlowMessageEncoder(COLUMNS, false);
    encoder.begin(block, new JoinedTexts());
    FlowMessageDecoder decoder = new FlowMessageDecoder();
    FlowBlock read = new FlowBlock(1);
    for (int row = 0; row < rows; row++) {
      MessageBuffer message = new MessageBuffer();
      encoder.encode(row, row + 1, message);
      assertThat(decoder.decode(message.bytes(), 0, message.length(), 0, read, NONE)).isTrue();
    }
    assertThat(Rows.values(read)).isEqualTo(Rows.values(block));
  }

  @Property(tries = 100)
  void lengthDelimitedMessagesDecodeTheSame(
      @ForAll long seed, @ForAll @IntRange(max = 40) int rows) {
    FlowBlock block = Rows.tellable(new Random(seed), rows);
    FlowMessageEncoder encoder = new FlowMessageEncoder(COLUMNS, true);
    encoder.begin(block, new JoinedTexts());
    MessageBuffer message = new MessageBuffer();
    encoder.encode(0, rows, message);
    FlowBlock read = new FlowBlock(1);
    int count =
        new FlowMessageDecoder()
            .decodeDelimited(message.bytes(), 0, message.length(), 0, read, NONE);
    assertThat(count).isEqualTo(rows);
    assertThat(Rows.values(read)).isEqualTo(Rows.values(block));
  }

  @Property(tries = 200)
  void truncationIsOneRejectAndEarlierMessagesStay(@ForAll long seed) {
    Random random = new Random(seed);
    FlowBlock block = Rows.tellable(random, 5);
    FlowMessageEncoder encoder = new FlowMessageEncoder(COLUMNS, true);
    encoder.begin(block, new JoinedTexts());
    MessageBuffer message = new MessageBuffer();
    int[] ends = new int[6];
    for (int row = 0; row < 5; row++) {
      encoder.encode(row, row + 1, message);
      ends[row + 1] = message.length();
    }
    int cut = random.nextInt(message.length());
    int whole = 0;
    while (ends[whole + 1] <= cut) {
      whole++;
    }
    int[] rejects = new int[1];
    FlowBlock read = new FlowBlock(1);
    new FlowMessageDecoder()
        .decodeDelimited(
            message.bytes(),
            0,
            cut,
            0,
            read,
            (reason, offset) -> {
              assertThat(reason).isEqualTo(RejectReason.BAD_MESSAGE);
              rejects[0]++;
            });
    assertThat(rejects[0]).isEqualTo(ends[whole] == cut ? 0 : 1);
    assertThat(Rows.values(read)).isEqualTo(Rows.values(block).subList(0, whole));
  }
}
