package io.millrace.store;

import io.millrace.wire.block.NameKind;
import io.millrace.wire.block.TableSchema;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Names of devices, interfaces and other numbered objects, as reported by devices: the table {@code
 * device_names}, and columns of flows that are looked up in it when a query names them. Names are
 * stored once instead of with each row; the latest one applies to all rows, older ones included.
 */
public final class DeviceNames {
  /** Columns of the table; the number of a device itself is 0. Speeds are in bits per second. */
  public static final TableSchema SCHEMA =
      TableSchema.builder()
          .time("time")
          .address("exporter")
          .text("kind")
          .number("number")
          .text("name")
          .text("description")
          .number("speed")
          .build();

  /** Devices report names at least hourly; the size limits what a sender can store. */
  private static final ResultRetention RETENTION =
      new ResultRetention(Duration.ofDays(31), 256L << 20);

  /** Declaration of the table. */
  public static final ResultSpec TABLE =
      new ResultSpec("device_names", SCHEMA, List.of("exporter", "kind", "number"), RETENTION);

  /** Kind of the rows with the speed of an interface, which is reported separately. */
  public static final String SPEED = "speed";

  /** Value derived from name and description of an interface, by the macro of this name. */
  public static final String BOUNDARY = "boundary";

  /** All columns of flows that are looked up. */
  public static final List<Column> COLUMNS =
      List.of(
          column("exporter_name", NameKind.EXPORTER, null, "name"),
          column("in_if_name", NameKind.INTERFACE, "in_if", "name"),
          column("in_if_description", NameKind.INTERFACE, "in_if", "description"),
          column("in_if_boundary", NameKind.INTERFACE, "in_if", BOUNDARY),
          new Column("in_if_mbit_s", SPEED, Optional.of("in_if"), "speed"),
          column("out_if_name", NameKind.INTERFACE, "out_if", "name"),
          column("out_if_description", NameKind.INTERFACE, "out_if", "description"),
          column("out_if_boundary", NameKind.INTERFACE, "out_if", BOUNDARY),
          new Column("out_if_mbit_s", SPEED, Optional.of("out_if"), "speed"),
          column("in_vrf_name", NameKind.VRF, "in_vrf", "name"),
          column("out_vrf_name", NameKind.VRF, "out_vrf", "name"),
          column("app_name", NameKind.APPLICATION, "app_id", "name"),
          column("app_description", NameKind.APPLICATION, "app_id", "description"),
          column("sampler_name", NameKind.SAMPLER, "sampler", "name"));

  /**
   * A column of flows that is looked up.
   *
   * @param name name in flows
   * @param kind kind of the names
   * @param number column of flows with the number; empty for the device's own name
   * @param value column of the table, or {@link #BOUNDARY}
   */
  public record Column(String name, String kind, Optional<String> number, String value) {
    /** Whether values are numbers in Mbit/s, else texts. */
    public boolean isSpeed() {
      return kind.equals(SPEED);
    }
  }

  private DeviceNames() {}

  private static Column column(String name, NameKind kind, String number, String value) {
    return new Column(name, kind.word(), Optional.ofNullable(number), value);
  }

  /** Looked-up columns of a table of flows: those that none of its data sets provides. */
  public static List<Column> columns(FlowSchema schema) {
    List<String> declared = schema.joined().stream().map(FlowSchema.AddedColumn::name).toList();
    return COLUMNS.stream().filter(column -> !declared.contains(column.name())).toList();
  }
}
