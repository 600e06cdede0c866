package io.millrace.analytics.voice;

import io.millrace.analytics.keyed.Hash;
import io.millrace.analytics.keyed.RowKeys;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.record.RecordSchema;
import io.millrace.wire.record.RecordSchema.Field;
import java.util.List;

/** The records of both streams, what is made of them on the way, and commands. */
public final class VoiceRecords {
  /** Location areas and tracking areas have 16 or 24 bits. */
  public static final long MOST_AREA = (1L << 24) - 1;

  /** Cells have 16, 28 or, with 5G, 36 bits. */
  public static final long MOST_CELL = (1L << 36) - 1;

  private static final long MOST_MSISDN = 999_999_999_999_999L;

  /** Largest number of a controller. */
  public static final long MOST_CONTROLLER = 999_999_999_999_999L;

  private static final long MOST_BYTES = 1_000_000_000;

  /** A message of the application that loads the network: a voice message of a messenger, say. */
  public static final RecordSchema MESSAGES =
      new RecordSchema(
          "voice_messages",
          List.of(
              Field.time("time"),
              Field.number("msisdn", 1, MOST_MSISDN),
              Field.number("area", 0, MOST_AREA),
              Field.number("cell", 0, MOST_CELL),
              Field.number("bytes", 0, MOST_BYTES)),
          "time",
          "msisdn");

  /** What a controller says of its voice channels. */
  public static final RecordSchema CHANNELS =
      new RecordSchema(
          "voice_channels",
          List.of(
              Field.time("time"),
              Field.number("controller", 0, MOST_CONTROLLER),
              Field.fraction("in_use", 0, 1)),
          "time",
          "controller");

  // Columns of VOLUMES and, as far as it has them, of CHANNELS with places.
  static final int TIME = 0;
  static final int CONTROLLER = 1;
  static final int BYTES = 2;
  static final int MESSAGES_COUNT = 3;
  static final int IN_USE = 2;
  static final int PARTITION = 3;
  static final int OFFSET = 4;
  static final int INDEX = 5;

  /** Bytes and messages of a controller in a step, of some messages; the time is its last one. */
  public static final TableSchema VOLUMES =
      TableSchema.builder()
          .time("time")
          .number("controller")
          .number("bytes")
          .number("messages")
          .build();

  /** What a controller is told, when, and what it was judged by; a share is null if unknown. */
  public static final TableSchema COMMANDS =
      TableSchema.builder()
          .time("time")
          .number("controller")
          .text("command")
          .number("bytes")
          .fraction("in_use")
          .build();

  /** How a controller is doing; {@code since} is the time of the command that holds. */
  public static final TableSchema CONTROLLERS =
      TableSchema.builder()
          .number("controller")
          .time("time")
          .text("state")
          .number("bytes")
          .fraction("in_use")
          .time("since")
          .build();

  /** By controller, for {@link #VOLUMES} and {@link #CHANNELS} with their places. */
  public static final RowKeys<TableBlock> BY_CONTROLLER =
      (block, hashes) -> {
        long[] controllers = block.longs(CONTROLLER);
        for (int row = block.rows() - 1; row >= 0; row--) {
          hashes[row] = Hash.of(controllers[row]);
        }
      };

  private VoiceRecords() {}
}
