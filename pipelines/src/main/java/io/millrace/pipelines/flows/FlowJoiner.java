package io.millrace.pipelines.flows;

import io.millrace.analytics.Analyzer;
import io.millrace.analytics.AnalyzerContext;
import io.millrace.analytics.Emitter;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.DatasetCorruptException;
import io.millrace.datasets.DatasetHandle;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.MacKeys;
import io.millrace.datasets.TextIds;
import io.millrace.engine.table.TableReader;
import io.millrace.pipelines.datasets.DatasetVersions;
import io.millrace.pipelines.datasets.SharedDatasets;
import io.millrace.pulse.LocalHost;
import io.millrace.wire.block.Addresses;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.FlowColumn;
import io.millrace.wire.block.JoinedColumn;
import io.millrace.wire.block.NewNames;
import io.millrace.wire.sink.UnrecoverableException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins each flow with the declared data sets: for each set and each column that it is joined on
 * (addresses, MAC addresses, interfaces of an exporter, ports of a protocol, the exporter's ASes),
 * looks up the whole block at once, then adds one column for each field of the set.
 *
 * <p>A joiner sends each text once, with the first block that uses it, and records this in a bit
 * per text. After a failure it sends texts again, and the store ignores duplicates. A flow is never
 * dropped for missing data: unknown fields are NULL, also after a bug in a look-up.
 */
public final class FlowJoiner implements Analyzer<FlowBlock, FlowBlock> {
  /** Prefix of counters, followed by the data set's name: keys that were looked up. */
  public static final String LOOKUPS = "lookups.";

  /** Prefix of counters, followed by the data set's name: keys whose look-up failed. */
  public static final String FAILURES = "failures.";

  /** Prefix of counters, followed by the data set's name: keys that were found. */
  public static final String HITS = "hits.";

  private static final Logger LOG = LoggerFactory.getLogger(FlowJoiner.class);

  private final List<DatasetConfig> configs;
  private final Supplier<TableReader<DatasetVersions>> table;
  private final List<Join> joins = new ArrayList<>();
  private TableReader<DatasetVersions> versions;
  private List<DatasetHandle> handles = List.of();
  private int[] records = new int[0];

  /**
   * Creates a joiner of the declared sets, which {@link #open} opens or shares within this JVM,
   * with the newest content.
   */
  public FlowJoiner(List<DatasetConfig> configs) {
    this(configs, () -> null);
  }

  FlowJoiner(List<DatasetConfig> configs, Supplier<TableReader<DatasetVersions>> table) {
    this.configs = configs;
    this.table = table;
  }

  @Override
  public void open(AnalyzerContext context) throws Exception {
    try {
      handles = SharedDatasets.acquire(configs);
    } catch (NoSuchFileException e) {
      throw new UnrecoverableException(
          e.getFile()
              + ": file not found on host "
              + LocalHost.name()
              + "; data sets must be readable under the same path on every machine of a cluster");
    }
    for (int i = 0; i < handles.size(); i++) {
      joins.add(new Join(configs.get(i), handles.get(i), context));
    }
    versions = table.get();
  }

  @Override
  public void process(FlowBlock block, Emitter<FlowBlock> out) {
    DatasetVersions version = version(block);
    if (records.length < block.rows()) {
      records = new int[block.capacity()];
    }
    for (Join join : joins) {
      join.goTo(version);
      join.apply(block, records);
    }
    out.emit(block);
  }

  /** Version in effect at the arrival of the block's first row; null for the newest. */
  private DatasetVersions version(FlowBlock block) {
    if (versions == null || block.rows() == 0) {
      return versions == null ? null : DatasetVersions.NONE;
    }
    long now = System.currentTimeMillis() * 1_000;
    try {
      return versions.at(Math.min(block.longs(FlowColumn.TIME)[0], now));
    } catch (InterruptedException e) { // the job is cancelled
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for versions of data sets", e);
    }
  }

  @Override
  public void close() {
    if (versions != null) {
      versions.close();
      versions = null;
    }
    joins.forEach(Join::close);
    joins.clear();
    SharedDatasets.release(configs, handles);
    handles = List.of();
  }

  /**
   * Look-up keys of the rows.
   *
   * @param numbers interfaces, VRFs or ports; null if the key is only an address
   * @param macs MAC addresses with their context; null if they are not part of the key
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Keys(long[] high, long[] low, int[] numbers, MacKeys macs) {
    Keys(long[] high, long[] low, int[] numbers) {
      this(high, low, numbers, null);
    }

    static Keys of(FlowBlock block, FlowColumn column) {
      return switch (column) {
        case IN_IF, OUT_IF, IN_VRF, OUT_VRF ->
            new Keys(
                block.addressHigh(FlowColumn.EXPORTER),
                block.addressLow(FlowColumn.EXPORTER),
                block.ints(column));
        case EXPORTER_SRC_AS, EXPORTER_DST_AS ->
            new Keys(new long[block.rows()], new long[block.rows()], numbers(block, column));
        case SRC_PORT, DST_PORT ->
            new Keys(new long[block.rows()], protocols(block), block.ints(column));
        case SRC_MAC -> macs(block, column, FlowColumn.SRC_VLAN, FlowColumn.DST_VLAN);
        case DST_MAC -> macs(block, column, FlowColumn.DST_VLAN, FlowColumn.SRC_VLAN);
        default -> new Keys(block.addressHigh(column), block.addressLow(column), null);
      };
    }

    private static Keys macs(
        FlowBlock block, FlowColumn column, FlowColumn vlan, FlowColumn otherVlan) {
      FlowColumn address = column == FlowColumn.SRC_MAC ? FlowColumn.SRC_ADDR : FlowColumn.DST_ADDR;
      long[] macs;
      if (block.has(column)) {
        macs = block.longs(column);
      } else {
        macs = new long[block.rows()];
        Arrays.fill(macs, FlowBlock.NULL);
      }
      MacKeys keys =
          new MacKeys(
              macs,
              block.ints(vlan),
              block.ints(otherVlan),
              block.addressHigh(FlowColumn.EXPORTER),
              block.addressLow(FlowColumn.EXPORTER),
              block.addressHigh(address),
              block.addressLow(address));
      return new Keys(keys.high(), keys.low(), null, keys);
    }

    /**
     * Values of a column; NULL in every row if the block does not have it. Does not add the column.
     */
    private static int[] numbers(FlowBlock block, FlowColumn column) {
      if (block.has(column)) {
        return block.ints(column);
      }
      int[] none = new int[block.rows()];
      Arrays.fill(none, FlowBlock.NULL);
      return none;
    }

    /**
     * Protocols in the form in which data sets store them, which parse numbers below 2³² as IPv4
     * addresses.
     */
    private static long[] protocols(FlowBlock block) {
      long[] low = new long[block.rows()];
      int[] protocols = block.ints(FlowColumn.PROTO);
      for (int i = 0; i < low.length; i++) {
        low[i] = Addresses.v4Low(protocols[i]);
      }
      return low;
    }

    private Keys at(int row) {
      return new Keys(
          new long[] {high[row]},
          new long[] {low[row]},
          numbers == null ? null : new int[] {numbers[row]},
          macs == null ? null : macs.at(row));
    }
  }

  private static final class Join {
    private final DatasetConfig config;
    private final DatasetHandle.Reader reader;
    private final AnalyzerContext.Counter lookups;
    private final AnalyzerContext.Counter hits;
    private final AnalyzerContext.Counter failures;
    private BitSet[] sent = {};
    private long[] bases = {};

    /** Fingerprint of the content that was not found last time. */
    private long absent;

    Join(DatasetConfig config, DatasetHandle handle, AnalyzerContext context) {
      this.config = config;
      this.reader = handle.newReader();
      this.lookups = context.counter(LOOKUPS + config.name());
      this.hits = context.counter(HITS + config.name());
      this.failures = context.counter(FAILURES + config.name());
    }

    /** Switches to the content of a version, if available; to the newest if none is listed. */
    void goTo(DatasetVersions version) {
      Dataset before = reader.dataset();
      OptionalLong wanted = version == null ? OptionalLong.empty() : version.of(config.name());
      if (wanted.isPresent()) {
        goTo(wanted.getAsLong());
      }
      if (reader.dataset() == null || version == null) {
        reader.refresh();
      }
      if (reader.dataset() != before) {
        startGeneration(reader.dataset());
      }
    }

    private void goTo(long fingerprint) {
      if (fingerprint == absent || reader.goTo(content -> content.fingerprint() == fingerprint)) {
        return;
      }
      try {
        SharedDatasets.reopen(config); // in a separate process nothing else reopens it
      } catch (IOException | IllegalArgumentException e) {
        LOG.warn("data set {}: {}; keeping the previous content", config.name(), e.getMessage());
      }
      if (!reader.goTo(content -> content.fingerprint() == fingerprint)) {
        absent = fingerprint;
      }
    }

    void apply(FlowBlock block, int[] records) {
      Lookup lookup = reader.lookup();
      List<Field> fields = reader.dataset().fields();
      int rows = block.rows();
      for (Map.Entry<FlowColumn, String> on : config.join().entrySet()) {
        FlowColumn column = on.getKey();
        int[][] values = new int[bases.length][rows];
        Keys keys = Keys.of(block, column);
        try {
          lookUp(lookup, keys, rows, records, values);
        } catch (UncheckedIOException | DatasetCorruptException e) {
          throw e; // a failure of the file, not of an address
        } catch (RuntimeException e) {
          lookUpEach(lookup, keys, rows, records, values);
        }
        lookups.add(rows);
        hits.add(known(records, rows));
        for (int field = 0; field < bases.length; field++) {
          JoinedColumn.Kind kind = fields.get(field).kind();
          String name = on.getValue() + fields.get(field).name();
          block.joined().add(new JoinedColumn(name, kind, bases[field], values[field]));
        }
        sendNewTexts(lookup, values, block.names());
      }
    }

    private void lookUp(Lookup lookup, Keys keys, int rows, int[] records, int[][] values) {
      if (keys.macs != null) {
        lookup.lookup(keys.macs, rows, records);
      } else if (keys.numbers == null) {
        lookup.lookup(keys.high, keys.low, rows, records);
      } else {
        lookup.lookup(keys.high, keys.low, keys.numbers, rows, records);
      }
      for (int field = 0; field < values.length; field++) {
        lookup.values(field, records, rows, values[field]);
      }
    }

    /** Looks up row by row, so that only failed rows are unknown. */
    private void lookUpEach(Lookup lookup, Keys keys, int rows, int[] records, int[][] values) {
      int[] record = new int[1];
      int[][] value = new int[values.length][1];
      for (int row = 0; row < rows; row++) {
        try {
          lookUp(lookup, keys.at(row), 1, record, value);
        } catch (RuntimeException e) {
          failures.add(1);
          record[0] = Dataset.UNKNOWN;
          Arrays.fill(value, new int[] {FlowBlock.NULL});
        }
        records[row] = record[0];
        for (int field = 0; field < values.length; field++) {
          values[field][row] = value[field][0];
        }
      }
    }

    private static int known(int[] records, int rows) {
      int known = 0;
      for (int row = 0; row < rows; row++) {
        known += records[row] == Dataset.UNKNOWN ? 0 : 1;
      }
      return known;
    }

    private void startGeneration(Dataset dataset) {
      int fields = dataset.fields().size();
      sent = new BitSet[fields];
      Arrays.setAll(sent, field -> dataset.fields().get(field).isText() ? new BitSet() : null);
      bases = new long[fields];
      Arrays.setAll(
          bases, field -> dataset.fields().get(field).isText() ? TextIds.base(dataset, field) : 0);
    }

    /**
     * Sends texts that were not sent before. Derived texts are new only if their source is new, so
     * usually there are none. They are sent first: of equal texts the store then keeps the derived
     * one's id, since there are fewer derived texts.
     */
    private void sendNewTexts(Lookup lookup, int[][] values, NewNames out) {
      for (int field = 0; field < values.length; field++) {
        if (sent[field] == null || !hasNewTexts(field, values[field])) {
          continue;
        }
        for (int derived = field + 1; derived < values.length; derived++) {
          if (config.columns().sourceOf(derived) == field) {
            sendNewTexts(lookup, derived, values[derived], out);
          }
        }
        sendNewTexts(lookup, field, values[field], out);
      }
    }

    private boolean hasNewTexts(int field, int[] ordinals) {
      BitSet known = sent[field];
      for (int ordinal : ordinals) {
        if (ordinal >= 0 && !known.get(ordinal)) {
          return true;
        }
      }
      return false;
    }

    private void sendNewTexts(Lookup lookup, int field, int[] ordinals, NewNames out) {
      BitSet known = sent[field];
      long base = bases[field];
      for (int ordinal : ordinals) {
        if (ordinal >= 0 && !known.get(ordinal)) {
          known.set(ordinal);
          lookup.text(field, ordinal, base + ordinal, out);
        }
      }
    }

    void close() {
      reader.close();
    }
  }
}
