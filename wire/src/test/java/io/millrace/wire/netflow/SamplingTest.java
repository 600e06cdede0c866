package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Source and computation of the sampling rate (RFC 5477 section 8.2). */
class SamplingTest {
  private static final byte[] TEMPLATE = shorts(256, 2, 8, 4, 302, 4);
  private static final byte[] OF_SAMPLER_9 = Messages.bytes(10, 0, 0, 1, 0, 0, 0, 9);

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  /** Rate of sampler 9, after options with these elements of four bytes. */
  private String after(int... elementsAndValues) {
    int n = elementsAndValues.length / 2;
    int[] template = new int[5 + 2 * n];
    template[0] = 257;
    template[1] = 1 + n;
    template[2] = 1;
    template[3] = 302;
    template[4] = 4;
    ByteBuffer record = ByteBuffer.allocate(4 + 4 * n).putInt(9);
    for (int i = 0; i < n; i++) {
      template[5 + 2 * i] = elementsAndValues[2 * i];
      template[6 + 2 * i] = 4;
      record.putInt(elementsAndValues[2 * i + 1]);
    }
    decode(
        decoder,
        ipfix(
            0,
            set(3, shorts(template)),
            set(257, record.array()),
            set(2, TEMPLATE),
            set(256, OF_SAMPLER_9)),
        1,
        rows);
    int row = rows.block.rows() - 1;
    return rows.block.ints(FlowColumn.SAMPLING_RATE)[row]
        + " "
        + rows.block.ints(FlowColumn.SAMPLING_SOURCE)[row];
  }

  @ParameterizedTest
  @CsvSource({
    "305, 1, 306, 99, 100",
    "305, 10, 306, 990, 100",
    "305, 1, 306, 0, 1",
    "305, 3, 306, 7, 3", // 3.33
    "305, 3, 306, 8, 4", // 3.67
    "305, -1, 306, -1, 2", // both 2³² - 1
    "307, 1000, 308, 9000, 10",
    "309, 1, 310, 512, 512",
    "309, 3, 310, 1000, 333",
    "309, 1, 310, 16777216, 16777216",
    "309, 256, 310, -1, 16777216", // 2³² - 1
  })
  void pairsGiveTheirRatio(int one, int value, int other, int otherValue, int rate) {
    assertThat(after(one, value, other, otherValue)).isEqualTo(rate + " 2");
  }

  @ParameterizedTest
  @CsvSource({
    "305, 1, 306, 16777216", // 16,777,217
    "305, 1, 306, -1",
    "307, 2, 308, -1",
    "309, 1, 310, 16777217",
    "309, 1, 310, -1",
    "34, 16777217, 35, 2",
    "50, -1, 35, 2",
  })
  void aRateBeyondTheBoundIsRejectedAndCounted(int one, int value, int other, int otherValue) {
    assertRejected(after(one, value, other, otherValue));
  }

  @ParameterizedTest
  @CsvSource({
    "34, 67, 35, 131", // FortiOS 5 sends this in place of other elements
    "34, 100, 35, 0",
    "34, 100, 35, 3",
    "34, 0, 35, 2",
    "305, 0, 306, 100",
    "309, 10, 310, 5", // larger sample than population
    "309, 0, 310, 5",
  })
  void aRateThatContradictsItselfIsRejectedAndCounted(
      int one, int value, int other, int otherValue) {
    assertRejected(after(one, value, other, otherValue));
  }

  private void assertRejected(String rate) {
    assertThat(rate).isEqualTo("1 0");
    assertThat(rows.notes.rejects).hasSize(1);
    assertThat(rows.notes.rejects.keySet().iterator().next().label()).startsWith("bad-sampling-");
    assertThat(rows.notes.rejected).hasSize(1);
  }

  @Test
  void aRejectedRateDoesNotReplaceOneThatIsKnown() {
    assertThat(after(34, 100, 35, 2)).isEqualTo("100 2");
    assertThat(after(34, 67, 35, 131)).isEqualTo("100 2");
    assertThat(after(309, 1, 310, -1)).isEqualTo("100 2");
    assertThat(rows.notes.rejected).containsExactly(67L, 0xFFFF_FFFFL);
  }

  @Test
  void oneThatCanBeWinsOverOneThatCannot() {
    assertThat(after(34, 0, 35, 2, 305, 1, 306, 10_921)).isEqualTo("10922 2");
    assertThat(after(34, 67, 35, 131, 50, 300)).isEqualTo("300 2");
    assertThat(rows.notes.rejected).isEmpty();
  }

  @Test
  void aProbabilityBeyondTheBoundIsRejectedAndCounted() {
    assertRejected(after(311, Float.floatToIntBits(Float.MIN_VALUE)));
  }

  @Test
  void aRecordsOwnImpossibleRateLeavesThatOfItsSampler() {
    byte[] template = shorts(258, 4, 8, 4, 302, 4, 34, 4, 35, 1);
    byte[] record = Messages.bytes(10, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 67, 131);
    after(34, 64, 35, 2);
    decode(decoder, ipfix(0, set(2, template), set(258, record)), 1, rows);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_RATE)[1]).isEqualTo(64);
    assertThat(rows.notes.rejects)
        .containsExactly(Map.entry(RejectReason.BAD_SAMPLING_ALGORITHM, 1));
    record[7] = 8; // of an unknown sampler
    decode(decoder, ipfix(0, set(258, record)), 1, rows);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_RATE)[2]).isEqualTo(FlowBlock.NULL);
    assertThat(rows.notes.rejects).containsEntry(RejectReason.IMPOSSIBLE_RATE, 1);
  }

  @Test
  void numbersOfEightBytesAreUnsigned() {
    byte[] template = shorts(260, 4, 8, 4, 309, 8, 310, 8, 1, 4);
    ByteBuffer records = ByteBuffer.allocate(4 * 24);
    long[][] pairs = {{-1, -1}, {1, -1}, {Long.MIN_VALUE, -1}, {1L << 40, Long.MIN_VALUE}};
    for (long[] pair : pairs) {
      records.putInt(0x0A000001).putLong(pair[0]).putLong(pair[1]).putInt(100);
    }
    decode(decoder, ipfix(0, set(2, template), set(260, records.array())), 1, rows);
    assertThat(Arrays.copyOf(rows.block.ints(FlowColumn.SAMPLING_RATE), 4))
        .containsExactly(1, FlowBlock.NULL, 2, 1 << 23);
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.IMPOSSIBLE_RATE, 1));
  }

  @ParameterizedTest
  @CsvSource({"305, 100", "306, 100", "309, 1", "310, 1000", "307, 10", "308, 10"})
  void halfAPairIsNoRate(int element, int value) {
    assertThat(after(element, value)).isEqualTo("1 0");
    assertThat(rows.notes.unknownSampling).isEqualTo(1);
  }

  @Test
  void probabilityIsTurnedRound() {
    assertThat(after(311, Float.floatToIntBits(0.001f))).isEqualTo("1000 2");
    assertThat(after(311, Float.floatToIntBits(0.3f))).isEqualTo("3 2");
  }

  @Test
  void anInvalidProbabilityIsNoRate() {
    for (float p : new float[] {0, -1, 2, Float.NaN, Float.POSITIVE_INFINITY}) {
      assertThat(after(311, Float.floatToIntBits(p))).as("%s", p).isEqualTo("1 0");
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 100 2", "3, 50 2", "4, 4 2", "0, 100 2", "9, 100 2", "5, 1 0", "8, 1 0"})
  void selectorAlgorithmSaysWhichParametersCount(int algorithm, String expected) {
    int quarter = Float.floatToIntBits(0.25f);
    assertThat(after(304, algorithm, 305, 1, 306, 99, 309, 1, 310, 50, 311, quarter))
        .isEqualTo(expected);
  }

  @Test
  void anIntervalIsTheRateItself() {
    assertThat(after(34, 0)).isEqualTo("1 0");
    assertThat(after(34, 0, 35, 0)).isEqualTo("1 0"); // explicitly does not sample
    assertThat(after(34, 64)).isEqualTo("64 2");
    assertThat(after(50, 65)).isEqualTo("65 2");
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void theRecordsOwnRateWins() {
    byte[] template = shorts(258, 3, 8, 4, 302, 4, 34, 2);
    byte[] record = Messages.bytes(10, 0, 0, 1, 0, 0, 0, 9, 0, 7);
    after(34, 64);
    decode(decoder, ipfix(0, set(2, template), set(258, record)), 1, rows);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_RATE)[1]).isEqualTo(7);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_SOURCE)[1])
        .isEqualTo(SamplingSource.RECORD.code());
  }

  @Test
  void optionsOfAnInterfaceDoNotApplyToTheDomain() {
    byte[] options = shorts(259, 2, 1, 10, 4, 34, 4);
    byte[] told = Messages.bytes(0, 0, 0, 3, 0, 0, 0, 50);
    byte[] message =
        ipfix(0, set(3, options), set(259, told), set(2, TEMPLATE), set(256, OF_SAMPLER_9));
    decode(decoder, message, 1, rows);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_SOURCE)[0])
        .isEqualTo(SamplingSource.NONE.code());
  }

  @Test
  void configurationComesLast() {
    NetflowDecoder configured =
        new NetflowDecoder(NetflowConfig.DEFAULT.withSamplingDefaults((high, low) -> 500));
    decode(configured, ipfix(0, set(2, TEMPLATE), set(256, OF_SAMPLER_9)), 1, rows);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(500);
    assertThat(rows.block.ints(FlowColumn.SAMPLING_SOURCE)[0])
        .isEqualTo(SamplingSource.CONFIGURATION.code());
  }
}
