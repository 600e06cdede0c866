package io.millrace.wire.netflow;

/**
 * Offsets, lengths and numbers of the three protocols. All fields are big-endian.
 *
 * <pre>
 *   version 5: header, then count records of 48 bytes
 *   0         2       4        8      12     16         20     21     22               24
 *   +---------+-------+--------+------+------+----------+------+------+----------------+- -
 *   | version | count | uptime | unix | unix | sequence | eng. | eng. | sampling       | …
 *   | 5       |       | ms     | s    | ns   | (flows)  | type | id   | mode 2, int.14 |
 *   +---------+-------+--------+------+------+----------+------+------+----------------+- -
 *
 *   version 9 (RFC 3954 section 5.1): header, then sets
 *   0         2       4        8      12         16          20
 *   +---------+-------+--------+------+----------+-----------+- -
 *   | version | count | uptime | unix | sequence | source id | sets …
 *   | 9       |       | ms     | s    | (dgrams) |           |
 *   +---------+-------+--------+------+----------+-----------+- -
 *
 *   IPFIX (RFC 7011 section 3.1): header, then sets
 *   0         2        4        8          12                   16
 *   +---------+--------+--------+----------+--------------------+- -
 *   | version | length | export | sequence | observation domain | sets …
 *   | 10      |        | s      | (records)|                    |
 *   +---------+--------+--------+----------+--------------------+- -
 *
 *   set                                     template in a set (IPFIX: a field's high bit says
 *   0    2        4                         that four bytes of enterprise number follow)
 *   +----+--------+----------------- -      0    2       4
 *   | id | length | records, padding        +----+-------+------------+--------------+- -
 *   +----+--------+----------------- -      | id | count | field type | field length | …
 *                                           +----+-------+------------+--------------+- -
 *   options template, version 9                     options template, IPFIX
 *   0    2             4              6             0    2       4             6
 *   +----+-------------+--------------+- -          +----+-------+-------------+- -
 *   | id | scope bytes | option bytes | fields …    | id | count | scope count | fields …
 *   +----+-------------+--------------+- -          +----+-------+-------------+- -
 * </pre>
 */
public final class NetflowLayout {
  /** Version number of NetFlow version 5. */
  public static final int VERSION_5 = 5;

  /** Version number of NetFlow version 9. */
  public static final int VERSION_9 = 9;

  /** Version number of IPFIX. */
  public static final int VERSION_IPFIX = 10;

  static final int COUNT_OFFSET = 2;
  static final int UPTIME_OFFSET = 4;
  static final int UNIX_SECONDS_OFFSET = 8;

  /** Length of the header of version 5. */
  public static final int V5_HEADER_LENGTH = 24;

  static final int V5_UNIX_NANOS_OFFSET = 12;
  static final int V5_SEQUENCE_OFFSET = 16;
  static final int V5_ENGINE_OFFSET = 20;
  static final int V5_SAMPLING_OFFSET = 22;
  static final int V5_SAMPLING_BITS = 14;
  static final int V5_SAMPLING_MASK = (1 << V5_SAMPLING_BITS) - 1;

  /** Length of a record of version 5. */
  public static final int V5_RECORD_LENGTH = 48;

  /** Records that a datagram of version 5 has at most. */
  public static final int V5_MAX_RECORDS = 30;

  /** Length of the header of version 9. */
  public static final int V9_HEADER_LENGTH = 20;

  static final int V9_SEQUENCE_OFFSET = 12;
  static final int V9_SOURCE_ID_OFFSET = 16;

  /** Length of the header of IPFIX. */
  public static final int IPFIX_HEADER_LENGTH = 16;

  static final int IPFIX_LENGTH_OFFSET = 2;
  static final int IPFIX_EXPORT_OFFSET = 4;
  static final int IPFIX_SEQUENCE_OFFSET = 8;
  static final int IPFIX_DOMAIN_OFFSET = 12;

  /** Length of a set's header. */
  public static final int SET_HEADER_LENGTH = 4;

  static final int V9_TEMPLATE_SET = 0;
  static final int V9_OPTIONS_SET = 1;
  static final int IPFIX_TEMPLATE_SET = 2;
  static final int IPFIX_OPTIONS_SET = 3;

  /** The smallest id of a template, and of the data sets that it describes. */
  public static final int MIN_TEMPLATE_ID = 256;

  static final int TEMPLATE_HEADER_LENGTH = 4;
  static final int OPTIONS_HEADER_LENGTH = 6;
  static final int FIELD_LENGTH = 4;
  static final int ENTERPRISE_BIT = 0x8000;

  /** Length of a variable-length field (RFC 7011 section 7); some send it in version 9. */
  static final int VARIABLE_LENGTH = 0xFFFF;

  static final int LONG_LENGTH_FOLLOWS = 0xFF;

  /** Enterprise of the reverse direction of IANA's elements (RFC 5103). */
  static final int REVERSE_ENTERPRISE = 29305;

  /** Not an enterprise: marks scope fields of version 9, whose types have their own numbers. */
  static final int V9_SCOPE = -1;

  static final int V9_SCOPE_INTERFACE = 2;

  /** Template of version 5 records: element, length. */
  static final int[][] V5_RECORD = {
    {8, 4}, {12, 4}, {15, 4}, {10, 2}, {14, 2}, {2, 4}, {1, 4}, {22, 4}, {21, 4}, {7, 2}, {11, 2},
    {210, 1}, {6, 1}, {4, 1}, {5, 1}, {16, 2}, {17, 2}, {9, 1}, {13, 1}, {210, 2}
  };

  private NetflowLayout() {}
}
