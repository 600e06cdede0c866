package io.millrace.wire.netflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Version 5 datagrams from the encoder. */
class Netflow5DecoderTest {
  private static final long EXPORT = 1_700_000_000_123_000L;

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Netflow5Encoder encoder = new Netflow5Encoder();
  private final FlowBlock out = new FlowBlock(1);
  private final Counting counting = new Counting();

  private int encode(int sampling) {
    FlowBlock rows = new FlowBlock(2);
    for (int row = 0; row < 2; row++) {
      rows.addressLow(FlowColumn.SRC_ADDR)[row] = Addresses.v4Low(0x0A000001 + row);
      rows.addressLow(FlowColumn.DST_ADDR)[row] = Addresses.v4Low(0x0A000009);
      rows.longs(FlowColumn.BYTES)[row] = 4_000_000_000L;
      rows.longs(FlowColumn.PACKETS)[row] = 3L + row;
      rows.ints(FlowColumn.SRC_PORT)[row] = 443;
      rows.ints(FlowColumn.PROTO)[row] = 6;
      rows.longs(FlowColumn.FLOW_START)[row] = EXPORT - 5_000_000;
      rows.longs(FlowColumn.FLOW_END)[row] = EXPORT - 1000;
    }
    rows.rows(2);
    return encoder.encode(0x0102, 77, EXPORT, 3, sampling, rows, 0, 2);
  }

  private void decode(int length) {
    decoder.decode(encoder.bytes(), 0, length, 1, 0, 2, 3, out, counting);
  }

  @Test
  void readsWhatTheEncoderWrites() {
    int length = encode((1 << 14) | 64);
    assertThat(ExportHeader.version(encoder.bytes(), 0, length)).isEqualTo(5);
    assertThat(ExportHeader.sequence(encoder.bytes(), 0)).isEqualTo(77);
    assertThat(ExportHeader.records(encoder.bytes(), 0)).isEqualTo(2);
    assertThat(ExportHeader.exportTimeMicros(encoder.bytes(), 0)).isEqualTo(EXPORT);
    decode(length);
    assertThat(out.rows()).isEqualTo(2);
    assertThat(out.longs(FlowColumn.BYTES)[0]).isEqualTo(4_000_000_000L);
    assertThat(out.longs(FlowColumn.PACKETS)[1]).isEqualTo(4);
    assertThat(out.ints(FlowColumn.OBSERVATION_DOMAIN)[0]).isEqualTo(0x0102);
    assertThat(out.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(64);
    assertThat(out.ints(FlowColumn.SAMPLING_SOURCE)[0]).isEqualTo(SamplingSource.HEADER.code());
    assertThat(counting.rejects).isEmpty();
  }

  @Test
  void typeAndCodeOfIcmpAreTakenOutOfTheDestinationPort() {
    int length = encode(0);
    int second = NetflowLayout.V5_HEADER_LENGTH + NetflowLayout.V5_RECORD_LENGTH;
    ByteBuffer record = ByteBuffer.wrap(encoder.bytes()).position(second).slice();
    record.putShort(32, (short) 0).putShort(34, (short) 0x30D).put(38, (byte) 1);
    decode(length);
    assertThat(Arrays.copyOf(out.ints(FlowColumn.SRC_PORT), 2)).containsExactly(443, 3);
    assertThat(out.ints(FlowColumn.DST_PORT)[1]).isEqualTo(13);
  }

  @Test
  void timesBeforeTheUptimeWrappedAreRight() {
    decode(encode(0)); // uptime 3 ms since the wrap; the flow began 5 s ago
    assertThat(out.longs(FlowColumn.FLOW_START)[0]).isEqualTo(EXPORT - 5_000_000);
    assertThat(out.longs(FlowColumn.FLOW_END)[0]).isEqualTo(EXPORT - 1000);
  }

  @Test
  void configurationGivesTheRateMissingInTheHeader() {
    NetflowDecoder configured =
        new NetflowDecoder(NetflowConfig.DEFAULT.withSamplingDefaults((high, low) -> 500));
    int length = encode(0);
    configured.decode(encoder.bytes(), 0, length, 1, 0, 2, 3, out, counting);
    decode(length);
    assertThat(out.ints(FlowColumn.SAMPLING_RATE)[0]).isEqualTo(500);
    assertThat(out.ints(FlowColumn.SAMPLING_SOURCE)[0])
        .isEqualTo(SamplingSource.CONFIGURATION.code());
    assertThat(out.ints(FlowColumn.SAMPLING_RATE)[2]).isEqualTo(1);
    assertThat(counting.unknownSampling).isEqualTo(2);
  }

  @Test
  void keepsTheRecordsOfADatagramThatIsCutOff() {
    decode(encode(0) - 1);
    assertThat(out.rows()).isEqualTo(1);
    assertThat(counting.rejects).containsExactly(Map.entry(RejectReason.TRUNCATED_DATAGRAM, 1));
  }
}
