package io.millrace.wire.netflow;

import static io.millrace.wire.netflow.Messages.UNIX;
import static io.millrace.wire.netflow.Messages.bytes;
import static io.millrace.wire.netflow.Messages.decode;
import static io.millrace.wire.netflow.Messages.ipfix;
import static io.millrace.wire.netflow.Messages.ipfixAt;
import static io.millrace.wire.netflow.Messages.set;
import static io.millrace.wire.netflow.Messages.shorts;
import static io.millrace.wire.netflow.Messages.v9;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.BlockBuffer;
import io.millrace.wire.block.BlockInput;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.RejectReason;
import io.millrace.wire.packet.IpLayer;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The rules of the protocols, with one or two messages each. */
class NetflowDecoderTest {
  private static final byte[] TEMPLATE = shorts(256, 3, 8, 4, 12, 4, 2, 1);
  private static final byte[] RECORD = bytes(10, 0, 0, 1, 10, 0, 0, 2, 5);

  private final NetflowDecoder decoder = new NetflowDecoder(NetflowConfig.DEFAULT);
  private final Messages.Rows rows = new Messages.Rows();

  @Test
  void holdsDataUntilItsTemplateComes() {
    decode(decoder, v9(set(256, RECORD)), 1, rows);
    assertThat(rows.block.rows()).isZero();
    int held = decoder.heldBytes();
    assertThat(held).isGreaterThan(RECORD.length);
    decode(decoder, v9(set(0, TEMPLATE), set(256, RECORD)), 2, rows);
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.TIME), 2)).containsExactly(1, 2);
    assertThat(rows.block.longs(FlowColumn.PACKETS)[0]).isEqualTo(5);
    assertThat(decoder.heldBytes()).isZero();
    assertThat(rows.notes.decoded).isEqualTo(rows.notes.held).isPositive();
  }

  @Test
  void givesUpDataThatWaitedTooLong() {
    decode(decoder, v9(set(256, RECORD)), 1, rows);
    long late = 2 + NetflowConfig.DEFAULT.maxHeldMicros();
    decode(decoder, v9(set(0, TEMPLATE)), late, rows);
    assertThat(rows.block.rows()).isZero();
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.NO_TEMPLATE, 1));
    assertThat(rows.notes.dropped).isEqualTo(rows.notes.held).isPositive();
  }

  @Test
  void restoredDecoderContinues() {
    decode(decoder, ipfix(0, set(2, TEMPLATE), set(300, RECORD)), 1, rows);
    BlockBuffer state = new BlockBuffer(16);
    decoder.snapshot(state);
    NetflowDecoder other =
        NetflowDecoder.restore(
            new BlockInput(state.bytes(), 0, state.length()), NetflowConfig.DEFAULT);
    BlockBuffer again = new BlockBuffer(16);
    other.snapshot(again);
    assertThat(again.toBytes()).isEqualTo(state.toBytes());
    decode(other, ipfix(9, set(256, RECORD), set(2, shorts(300, 1, 8, 4))), 2, rows);
    assertThat(rows.block.rows()).isEqualTo(1 + 2); // nine bytes hold two records of four
  }

  @Test
  void newTemplateTakesEffectInOrder() {
    byte[] swapped = shorts(256, 3, 12, 4, 8, 4, 2, 1);
    byte[] message = v9(set(0, TEMPLATE), set(256, RECORD), set(0, swapped), set(256, RECORD));
    decode(decoder, message, 1, rows);
    long[] src = rows.block.addressLow(FlowColumn.SRC_ADDR);
    assertThat(Addresses.toText(0, src[0])).isEqualTo("10.0.0.1");
    assertThat(Addresses.toText(0, src[1])).isEqualTo("10.0.0.2");
    assertThat(rows.notes.changed).isEqualTo(1);
    assertThat(rows.notes.templates).isEqualTo(1);
  }

  @Test
  void withdrawnTemplateIsForgotten() {
    decode(decoder, ipfix(0, set(2, TEMPLATE), set(2, shorts(256, 0))), 1, rows);
    assertThat(decoder.templates()).isZero();
    decode(decoder, ipfix(0, set(2, TEMPLATE), set(2, shorts(2, 0))), 1, rows);
    assertThat(decoder.templates()).isZero();
    assertThat(rows.notes.templates).isZero();
  }

  @Test
  void countsRecordsThatDidNotArrive() {
    decode(decoder, ipfix(10, set(2, TEMPLATE), set(256, RECORD)), 1, rows);
    decode(decoder, ipfix(11, set(256, RECORD)), 2, rows);
    assertThat(rows.notes.lost).isZero();
    decode(decoder, ipfix(17, set(256, RECORD)), 3, rows);
    assertThat(rows.notes.lost).isEqualTo(5);
  }

  @Test
  void recordsOfALateMessageAreNoLongerLostAndThoseThatComeTwiceAreNot() {
    byte[] first = ipfix(10, set(2, TEMPLATE), set(256, RECORD));
    decode(decoder, first, 1, rows);
    decode(decoder, ipfix(14, set(256, RECORD)), 2, rows); // 11, 12 and 13 are missing
    assertThat(rows.notes.lost).isEqualTo(3);
    byte[] late = ipfix(12, set(256, RECORD));
    decode(decoder, late, 3, rows);
    assertThat(rows.notes.lost).isEqualTo(2);
    decode(decoder, late, 4, rows);
    decode(decoder, first, 5, rows);
    assertThat(rows.notes.lost).isEqualTo(2);
    decode(decoder, ipfix(11, set(256, RECORD)), 6, rows);
    decode(decoder, ipfix(15, set(256, RECORD)), 7, rows); // the count was not reset
    assertThat(rows.notes.lost).isEqualTo(1);
  }

  @Test
  void lateMessagesAreStillLateForARestoredDecoder() {
    decode(decoder, ipfix(10, set(2, TEMPLATE), set(256, RECORD)), 1, rows);
    decode(decoder, ipfix(13, set(256, RECORD)), 2, rows);
    BlockBuffer state = new BlockBuffer(16);
    decoder.snapshot(state);
    NetflowDecoder other =
        NetflowDecoder.restore(
            new BlockInput(state.bytes(), 0, state.length()), NetflowConfig.DEFAULT);
    decode(other, ipfix(11, set(256, RECORD)), 3, rows);
    decode(other, ipfix(12, set(256, RECORD)), 4, rows);
    assertThat(rows.notes.lost).isZero();
  }

  @Test
  void aMessageOfUnknownRecordsAndARestartTakeNothingBack() {
    decode(decoder, ipfix(10, set(2, TEMPLATE), set(256, RECORD)), 1, rows);
    decode(decoder, ipfix(13, set(256, RECORD)), 2, rows); // 11 and 12 are missing
    decode(
        decoder, ipfix(11, set(300, RECORD)), 3, rows); // late, with an unknown number of records
    assertThat(rows.notes.lost).isEqualTo(2);
    decode(decoder, ipfix(500_000, set(256, RECORD)), 4, rows);
    decode(decoder, ipfixAt(UNIX + 1, 0, set(256, RECORD)), 5, rows); // restarted
    decode(decoder, ipfix(13, set(256, RECORD)), 6, rows);
    decode(decoder, ipfix(11, set(256, RECORD)), 7, rows);
    assertThat(rows.notes.lost).isEqualTo(2 + 499_986 + 12 - 1);
  }

  @Test
  void wrapAndRestartCountNoLoss() {
    decode(decoder, ipfix(-1, set(2, TEMPLATE), set(256, RECORD)), 1, rows);
    decode(decoder, ipfix(0, set(256, RECORD)), 2, rows);
    decode(decoder, ipfix(500_000, set(256, RECORD)), 3, rows);
    assertThat(rows.notes.lost).isEqualTo(499_999);
    decode(decoder, ipfixAt(UNIX + 1, 0, set(256, RECORD)), 4, rows); // restarted
    decode(decoder, ipfixAt(UNIX + 1, 3, set(256, RECORD)), 5, rows);
    assertThat(rows.notes.lost).isEqualTo(499_999 + 2);
    decode(decoder, ipfixAt(UNIX + 1, 9_000, set(256, RECORD)), 6, rows);
    decode(decoder, ipfixAt(0, 0, set(256, RECORD)), 7, rows); // and its clock was reset
    decode(decoder, ipfixAt(0, 3, set(256, RECORD)), 8, rows);
    assertThat(rows.notes.lost).isEqualTo(499_999 + 2 + 8_996 + 2);
  }

  @Test
  void aMuchLowerNumberSentEarlierIsLateAndNoRestart() {
    decode(decoder, ipfixAt(UNIX, 10, set(2, TEMPLATE), set(256, RECORD)), 1, rows);
    decode(decoder, ipfixAt(UNIX + 5, 300_000, set(256, RECORD)), 2, rows);
    decode(decoder, ipfixAt(UNIX, 11, set(256, RECORD)), 3, rows);
    decode(decoder, ipfixAt(UNIX + 4, 299_999, set(256, RECORD)), 4, rows);
    decode(decoder, ipfixAt(UNIX + 4, 12, set(256, RECORD)), 5, rows);
    decode(decoder, ipfixAt(UNIX + 5, 300_001, set(256, RECORD)), 6, rows);
    assertThat(rows.notes.lost).isEqualTo(299_989 - 3);
  }

  @Test
  void twoExportersOfOneNameLoseNothing() {
    decode(decoder, ipfix(0, set(2, TEMPLATE)), 1, rows);
    for (int apart : new int[] {900_000, 16_000_000, Integer.MIN_VALUE}) {
      int doubts = rows.notes.doubts;
      for (int turn = 0; turn < 20; turn++) {
        decode(decoder, ipfixAt(UNIX + turn, turn, set(256, RECORD)), 2, rows);
        decode(decoder, ipfixAt(UNIX + turn, apart + turn, set(256, RECORD)), 3, rows);
      }
      decode(decoder, ipfixAt(UNIX + 20, 20, set(256, RECORD)), 2, rows);
      decode(decoder, ipfixAt(UNIX + 21, 0, set(256, RECORD)), 2, rows);
      assertThat(rows.notes.lost).as("%d apart", apart).isZero();
      assertThat(rows.notes.doubts - doubts).isGreaterThan(30);
    }
  }

  @Test
  void readsFieldsOfVariableLength() {
    byte[] template = shorts(256, 4, 8, 4, 82, 0xFFFF, 12, 4, 2, 0xFFFF);
    byte[] one = bytes(10, 0, 0, 1, 2, 'e', '0', 10, 0, 0, 2, 1, 7);
    byte[] two = bytes(10, 0, 0, 3, 255, 0, 1, 'x', 10, 0, 0, 4, 2, 1, 0);
    byte[] both = Arrays.copyOf(one, one.length + two.length);
    System.arraycopy(two, 0, both, one.length, two.length);
    decode(decoder, ipfix(0, set(2, template), set(256, both)), 1, rows);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.PACKETS), 2)).containsExactly(7, 256);
    assertThat(Addresses.toText(0, rows.block.addressLow(FlowColumn.DST_ADDR)[1]))
        .isEqualTo("10.0.0.4");
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void reverseCountersMakeTheOtherDirectionsRow() {
    byte[] template = shorts(256, 4, 8, 4, 12, 4, 2, 1, 0x8002, 1, 0, 29305);
    byte[] record = bytes(10, 0, 0, 1, 10, 0, 0, 2, 5, 3);
    decode(decoder, ipfix(0, set(2, template), set(256, record)), 1, rows);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.PACKETS), 2)).containsExactly(5, 3);
    assertThat(Addresses.toText(0, rows.block.addressLow(FlowColumn.SRC_ADDR)[1]))
        .isEqualTo("10.0.0.2");
  }

  @Test
  void samplingComesFromRecordThenSamplerThenDomain() {
    byte[] options = shorts(257, 4, 8, 1, 4, 48, 4, 50, 4); // scope: system
    byte[] sampler = bytes(0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 100);
    byte[] domain = shorts(258, 4, 4, 1, 4, 34, 4);
    byte[] template = shorts(256, 3, 8, 4, 12, 4, 48, 1);
    byte[] named = bytes(10, 0, 0, 1, 10, 0, 0, 2, 9);
    byte[] unknown = bytes(10, 0, 0, 1, 10, 0, 0, 2, 8);
    decode(decoder, v9(set(0, template), set(256, unknown)), 1, rows);
    assertThat(rows.notes.unknownSampling).isEqualTo(1);
    byte[] domainRate = bytes(0, 0, 0, 0, 0, 0, 0, 50);
    decode(
        decoder,
        v9(set(1, options), set(257, sampler), set(1, domain), set(258, domainRate)),
        2,
        rows);
    decode(decoder, v9(set(256, named), set(256, unknown)), 3, rows);
    assertThat(Arrays.copyOf(rows.block.ints(FlowColumn.SAMPLING_RATE), 3))
        .containsExactly(1, 100, 50);
    assertThat(Arrays.copyOf(rows.block.ints(FlowColumn.SAMPLING_SOURCE), 3))
        .containsExactly(0, 2, 3);
  }

  @Test
  void uptimesAreDifferencesThatWrap() {
    long export = Messages.UNIX * 1_000_000L;
    assertThat(FlowTimes.ofUptime(-1, export, 999)).isEqualTo(export - 1_000_000);
    assertThat(FlowTimes.ofNtp(((Messages.UNIX + 2_208_988_800L) << 32) | 0x8000_0000L))
        .isEqualTo(export + 500_000);
  }

  @Test
  void aSetBeyondTheMessagesLengthIsReadAndTheFaultCounted() {
    byte[] message = ipfix(7, set(2, TEMPLATE), set(256, RECORD), set(256, RECORD));
    java.nio.ByteBuffer.wrap(message).putShort(2, (short) (message.length - 2));
    decode(decoder, message, 1, rows);
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.BAD_SET_LENGTH, 1));
    decode(decoder, ipfix(9, set(256, RECORD)), 2, rows);
    assertThat(rows.notes.lost).isZero();
  }

  @Test
  void aSetAfterTheMessageIsReadAndTheFaultCounted() {
    byte[] message = ipfix(7, set(2, TEMPLATE), set(256, RECORD), set(256, RECORD));
    java.nio.ByteBuffer.wrap(message).putShort(2, (short) (message.length - 4 - RECORD.length));
    decode(decoder, message, 1, rows);
    assertThat(rows.block.rows()).isEqualTo(2);
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.BAD_SET_LENGTH, 1));
  }

  @Test
  void anotherMessageAfterTheMessageIsIgnored() {
    byte[] message = ipfix(7, set(2, TEMPLATE), set(256, RECORD));
    byte[] both = Arrays.copyOf(message, 2 * message.length);
    System.arraycopy(message, 0, both, message.length, message.length);
    decode(decoder, both, 1, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.rejects).isEmpty();
  }

  @Test
  void zerosUpToTheEndArePadding() {
    for (int zeros = 1; zeros < 40; zeros++) {
      byte[] long9 = v9(set(0, TEMPLATE), set(256, Arrays.copyOf(RECORD, RECORD.length + zeros)));
      decode(decoder, Arrays.copyOf(long9, long9.length + zeros), 1, rows);
      byte[] ipfix = ipfix(0, set(2, TEMPLATE), set(256, RECORD));
      decode(decoder, Arrays.copyOf(ipfix, ipfix.length + zeros), 1, rows);
      assertThat(rows.block.rows()).as("%d zeros", zeros).isEqualTo(2 * zeros);
      assertThat(rows.notes.rejects).isEmpty();
    }
  }

  @Test
  void aSetThatTheDatagramsEndCutsOffIsReadAsFarAsItGoes() {
    byte[] two = Arrays.copyOf(RECORD, 2 * RECORD.length);
    System.arraycopy(RECORD, 0, two, RECORD.length, RECORD.length);
    byte[] message = ipfix(7, set(2, TEMPLATE), set(256, two));
    decode(decoder, Arrays.copyOf(message, message.length - 1), 1, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.rejects)
        .containsExactly(
            Map.entry(RejectReason.TRUNCATED_DATAGRAM, 1),
            Map.entry(RejectReason.BAD_SET_LENGTH, 1));
  }

  @Test
  void optionsLengthsThatAreNotWholeFieldsAreReadAsFarAsTheyGo() {
    byte[] options = shorts(300, 5, 10, 1, 4, 10, 4, 82, 2, 0);
    byte[] record = Messages.bytes(0, 0, 0, 0, 0, 0, 0, 3, 'g', '1');
    decode(
        decoder,
        v9(set(1, options), set(300, record), set(0, TEMPLATE), set(256, RECORD)),
        1,
        rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    assertThat(rows.notes.templates).isEqualTo(2);
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.ODD_OPTIONS_LENGTH, 1));
  }

  @Test
  void typeAndCodeOfIcmpAreTakenOutOfTheDestinationPort() {
    byte[] template = shorts(256, 4, 8, 4, 4, 1, 7, 2, 11, 2);
    byte[] without = shorts(257, 3, 8, 4, 4, 1, 11, 2);
    byte[] records =
        bytes(
            10, 0, 0, 1, 1, 0, 0, 3, 1, // destination unreachable, host
            10, 0, 0, 1, 58, 0, 0, 129, 0, // echo reply of version 6
            10, 0, 0, 1, 6, 0, 0, 3, 1, // TCP
            10, 0, 0, 1, 1, 0, 5, 3, 1); // an unknown meaning: stored as received
    decode(
        decoder,
        v9(
            set(0, template),
            set(0, without),
            set(256, records),
            set(257, bytes(10, 0, 0, 1, 1, 8, 0))),
        1,
        rows);
    assertThat(Arrays.copyOf(rows.block.ints(FlowColumn.SRC_PORT), 5))
        .containsExactly(3, 129, 0, 5, 8);
    assertThat(Arrays.copyOf(rows.block.ints(FlowColumn.DST_PORT), 5))
        .containsExactly(1, 0, 0x301, 0x301, 0);
  }

  @Test
  void templatesOfNothingAreRejected() {
    decode(decoder, v9(set(0, shorts(256, 1, 8, 0)), set(256, RECORD)), 1, rows);
    assertThat(rows.notes.rejects).containsExactly(Map.entry(RejectReason.BAD_TEMPLATE, 1));
    assertThat(rows.block.rows()).isZero();
  }

  @Test
  void sessionsAreBounded() {
    NetflowConfig config =
        new NetflowConfig(
            2, 1, 8, 8, 10_000, 1, 1_000_000, SamplingDefaults.NONE, IpLayer.OUTER, false);
    NetflowDecoder small = new NetflowDecoder(config);
    for (int port = 0; port < 5; port++) {
      byte[] message = v9(set(0, TEMPLATE), set(0, shorts(400, 1, 8, 4)), set(300, RECORD));
      small.decode(message, 0, message.length, 1, 0, 1, port, rows.block, rows.notes);
    }
    assertThat(small.sessions()).isEqualTo(2);
    assertThat(small.templates()).isEqualTo(2).isEqualTo(rows.notes.templates);
    assertThat(rows.notes.evicted).isEqualTo(3);
    assertThat(rows.notes.rejects).containsEntry(RejectReason.TOO_MANY_TEMPLATES, 5);
    assertThat(small.heldBytes())
        .isEqualTo(rows.notes.held - rows.notes.dropped + 2 * PendingSet.sessionCost());
  }

  @Test
  void afterAWithdrawalDataWaitsForTheNextTemplate() {
    byte[] wider = shorts(256, 3, 8, 4, 12, 4, 2, 2);
    byte[] record = bytes(10, 0, 0, 1, 10, 0, 0, 2, 1, 0);
    decode(decoder, ipfix(0, set(2, TEMPLATE), set(256, RECORD), set(2, shorts(256, 0))), 1, rows);
    decode(decoder, ipfix(1, set(256, record)), 2, rows);
    assertThat(rows.block.rows()).isEqualTo(1);
    decode(decoder, ipfix(2, set(2, wider)), 3, rows);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.PACKETS), 2)).containsExactly(5, 256);
    assertThat(rows.notes.changed).isZero();
  }

  @Test
  void withdrawingAllTemplatesLeavesThoseOfOptions() {
    byte[] options = shorts(257, 2, 1, 302, 4, 34, 4);
    decode(decoder, ipfix(0, set(2, TEMPLATE), set(3, options)), 1, rows);
    decode(decoder, ipfix(0, set(2, shorts(2, 0))), 2, rows);
    assertThat(decoder.templates()).isEqualTo(1);
    decode(decoder, ipfix(0, set(3, shorts(3, 0))), 3, rows);
    assertThat(decoder.templates()).isZero();
    assertThat(rows.notes.templates).isZero();
  }

  @Test
  void severalSetsAreReadInTheirOrder() {
    byte[] other = shorts(257, 2, 8, 4, 2, 1);
    byte[] message =
        v9(
            set(257, bytes(10, 0, 0, 7, 3)),
            set(0, TEMPLATE),
            set(256, RECORD),
            set(0, other),
            set(4, bytes(1, 2, 3, 4)),
            set(256, RECORD));
    decode(decoder, message, 1, rows);
    assertThat(Arrays.copyOf(rows.block.longs(FlowColumn.PACKETS), 3)).containsExactly(5, 3, 5);
    assertThat(rows.notes.rejects).isEqualTo(Map.of(RejectReason.UNKNOWN_SET, 1));
  }
}
