package io.millrace.analytics.voice;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** Records of both streams, intermediate rows, and commands. */
public final class VoiceRecords {
  /** Maximum location or tracking area; these have 16 or 24 bits. */
  public static final long MAX_AREA = (1L << 24) - 1;

  /** Maximum cell; cells have 16, 28 or, in 5G, 36 bits. */
  public static final long MAX_CELL = (1L << 36) - 1;

  private static final long MAX_MSISDN = 999_999_999_999_999L;

  /** Largest number of a controller. */
  public static final long MAX_CONTROLLER = 999_999_999_999_999L;

  private static final long MAX_BYTES = 1_000_000_000;

  /**
   * A message of the application that loads the network, for example a messenger's voice message.
   */
  public static final RecordSchema MESSAGES =
      new RecordSchema(
          "voice_messages",
          List.of(
              Field.time("time"),
              Field.number("msisdn", 1, MAX_MSISDN),
              Field.number("area", 0, MAX_AREA),
              Field.number("cell", 0, MAX_CELL),
              Field.number("bytes", 0, MAX_BYTES)),
          "time",
          "msisdn");

  /** Report of a controller about its voice channels. */
  public static final RecordSchema CHANNELS =
      new RecordSchema(
          "voice_channels",
          List.of(
              Field.time("time"),
              Field.number("controller", 0, MAX_CONTROLLER),
              Field.fraction("in_use", 0, 1)),
          "time",
          "controller");

  // Columns of VOLUMES and, as far as it has them, of CHANNELS with log positions.
  static final int TIME = 0;
  static final int CONTROLLER = 1;
  static final int BYTES = 2;
  static final int MESSAGES_COUNT = 3;
  static final int IN_USE = 2;
  static final int PARTITION = 3;
  static final int OFFSET = 4;
  static final int INDEX = 5;

  /**
   * Bytes and messages of a controller in a step, partially aggregated; the time is the last
   * message's.
   */
  public static final TableSchema VOLUMES =
      TableSchema.builder()
          .time("time")
          .number("controller")
          .number("bytes")
          .number("messages")
          .build();

  /** Commands to a controller: time, and the values that caused it; a share is null if unknown. */
  public static final TableSchema COMMANDS =
      TableSchema.builder()
          .time("time")
          .number("controller")
          .text("command")
          .number("bytes")
          .fraction("in_use")
          .build();

  /** State of a controller; {@code since} is the time of the last command. */
  public static final TableSchema CONTROLLERS =
      TableSchema.builder()
          .number("controller")
          .time("time")
          .text("state")
          .number("bytes")
          .fraction("in_use")
          .time("since")
          .build();

  /** Keys by controller, for {@link #VOLUMES} and {@link #CHANNELS} with their log positions. */
  public static final RowKeys<TableBlock> BY_CONTROLLER =
      (block, hashes) -> {
        long[] controllers = block.longs(CONTROLLER);
        for (int row = block.rows() - 1; row >= 0; row--) {
          hashes[row] = Hash.of(controllers[row]);
        }
      };

  private VoiceRecords() {}
}
