package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.FlowColumn;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** All encodings of a flow's start and end, and the handling of impossible times. */
class TimesTest {
  private static final long EXPORT = Messages.UNIX * 1_000_000L;
  private static final long NTP_OFFSET = 2_208_988_800L;

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  /** Decodes one record with an address and two numbers, by elements and lengths. */
  private String times(boolean isIpfix, int start, int end, int length, long from, long to) {
    byte[] template = shorts(256, 3, 8, 4, start, length, end, length);
    ByteBuffer record = ByteBuffer.allocate(4 + 2 * length).putInt(0x0A000001);
    put(record, from, length);
    put(record, to, length);
    byte[] message =
        isIpfix
            ? ipfix(0, set(2, template), set(256, record.array()))
            : v9(set(0, template), set(256, record.array()));
    decode(decoder, message, 1, rows);
    return row(0);
  }

  private static void put(ByteBuffer b, long value, int length) {
    for (int i = length - 1; i >= 0; i--) {
      b.put((byte) (value >>> (8 * i)));
    }
  }

  /** Start and end in microseconds relative to the export; {@code -} for null. */
  private String row(int row) {
    return relative(FlowColumn.FLOW_START, row) + " " + relative(FlowColumn.FLOW_END, row);
  }

  private String relative(FlowColumn column, int row) {
    String text = NetflowRows.text(rows.block, column, row);
    return text.equals("-") ? text : Long.toString(Long.parseLong(text) - EXPORT);
  }

  private static long ntp(long micros) {
    long fraction = ((micros % 1_000_000) << 32) / 1_000_000;
    return ((micros / 1_000_000 + NTP_OFFSET) << 32) + fraction + 1;
  }

  @ParameterizedTest
  @CsvSource({
    // elements, length, start and end relative to the export in the element's unit, µs per unit
    "150, 151, 4, -60, -1, 1000000",
    "152, 153, 8, -60001, -1, 1000",
    "152, 153, 6, -60001, -1, 1000",
  })
  void readsTimesSinceTheEpoch(int start, int end, int length, long from, long to, long unit) {
    long export = EXPORT / unit;
    assertThat(times(true, start, end, length, export + from, export + to))
        .isEqualTo(from * unit + " " + to * unit);
  }

  @ParameterizedTest
  @CsvSource({"154, 155", "156, 157"})
  void readsNtpTimes(int start, int end) {
    assertThat(times(true, start, end, 8, ntp(EXPORT - 1_500_001), ntp(EXPORT - 7)))
        .isEqualTo("-1500001 -7");
  }

  @Test
  void readsDifferencesToTheExport() {
    assertThat(times(true, 158, 159, 4, 2_000_001, 3)).isEqualTo("-2000001 -3");
  }

  @ParameterizedTest
  @CsvSource({"322, 4", "323, 8", "324, 8", "325, 8"})
  void observationIsStartAndEnd(int element, int length) {
    long at = EXPORT - 5_000_000;
    long value =
        switch (element) {
          case 322 -> at / 1_000_000;
          case 323 -> at / 1000;
          default -> ntp(at);
        };
    assertThat(times(true, element, 82, length, value, 0)).isEqualTo("-5000000 -5000000");
  }

  @Test
  void uptimesOfVersion9AreThoseOfTheHeader() {
    assertThat(times(false, 22, 21, 4, Messages.UPTIME - 30_000, Messages.UPTIME - 1))
        .isEqualTo("-30000000 -1000");
  }

  @Test
  void uptimesOfIpfixNeedTheStartOfTheSystem() {
    assertThat(times(true, 22, 21, 4, 1000, 2000)).isEqualTo("- -");
    byte[] options = shorts(257, 2, 1, 149, 4, 160, 8);
    ByteBuffer told =
        ByteBuffer.allocate(12).putInt(7).putLong(Messages.UNIX * 1000L - Messages.UPTIME);
    decode(decoder, ipfix(1, set(3, options), set(257, told.array())), 2, rows);
    ByteBuffer record = ByteBuffer.allocate(12).putInt(1).putInt(Messages.UPTIME - 9).putInt(0);
    decode(decoder, ipfix(2, set(256, record.array())), 3, rows);
    assertThat(row(1)).isEqualTo("-9000 " + -1000L * Messages.UPTIME);
  }

  @Test
  void startOfTheSystemMayStandInTheRecordItself() {
    byte[] template = shorts(256, 4, 8, 4, 160, 8, 22, 4, 21, 4);
    ByteBuffer record = ByteBuffer.allocate(20).putInt(1).putLong(Messages.UNIX * 1000L - 5000);
    record.putInt(4000).putInt(4999);
    decode(decoder, ipfix(0, set(2, template), set(256, record.array())), 1, rows);
    assertThat(row(0)).isEqualTo("-1000000 -1000");
  }

  @ParameterizedTest
  @CsvSource({
    // both are more than a day beyond
    "200000000, 200060000, -60000000 0",
    // within a day: kept
    "1005000, 1009000, 5000000 9000000",
    // and only one of them: the other's meaning is unknown
    "999000, 200000000, -1000000 -",
  })
  void startAndEndBeyondTheUptimeKeepTheirDifference(long start, long end, String expected) {
    assertThat(times(false, 22, 21, 4, start, end)).isEqualTo(expected);
  }

  @Test
  void theDifferenceHoldsAlsoWhereTheEndIsMoreThanAnUptimeCanTell() {
    String[] times = times(false, 22, 21, 4, 2_147_483_000L, 2_148_543_000L).split(" ", 2);
    assertThat(Long.parseLong(times[1]) - Long.parseLong(times[0])).isEqualTo(1_060_000_000L);
  }

  @Test
  void anEndBeforeItsStartIsKept() {
    assertThat(times(true, 150, 151, 4, Messages.UNIX - 1, Messages.UNIX - 9))
        .isEqualTo("-1000000 -9000000");
  }

  @ParameterizedTest
  @CsvSource({
    "150, 4, 0",
    "150, 4, 4294967295", // the year 2106
    "150, 8, 9223372036854775807",
    "150, 8, -2",
    "152, 8, 0",
    "152, 8, 9223372036854775807",
    "152, 8, -9223372036854775808",
    "154, 8, 0", // 2036 by the rule of eras
    "156, 8, -1",
    "158, 8, -9223372036854775808",
    "158, 8, 9223372036854775807",
    "323, 8, -1",
  })
  void timesThatCannotBeAreNull(int element, int length, long value) {
    int end = element == 323 ? 82 : element + 1;
    assertThat(times(true, element, end, length, value, value)).isEqualTo("- -");
  }

  @Test
  void aTimeOfNoBytesIsNull() {
    byte[] template = shorts(256, 3, 8, 4, 158, 0xFFFF, 150, 0xFFFF);
    byte[] record = Messages.bytes(10, 0, 0, 1, 0, 0);
    decode(decoder, ipfix(0, set(2, template), set(256, record)), 1, rows);
    assertThat(row(0)).isEqualTo("- -");
  }

  @Test
  void theFinestTimeWins() {
    byte[] template = shorts(256, 3, 8, 4, 150, 4, 152, 8);
    ByteBuffer record = ByteBuffer.allocate(16).putInt(1).putInt(Messages.UNIX - 3);
    record.putLong(Messages.UNIX * 1000L - 2500);
    decode(decoder, ipfix(0, set(2, template), set(256, record.array())), 1, rows);
    assertThat(relative(FlowColumn.FLOW_START, 0)).isEqualTo("-2500000");
  }
}
