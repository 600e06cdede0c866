package io.millrace.cli;

import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.datasets.Dataset;
import io.millrace.datasets.DatasetConfig;
import io.millrace.datasets.Field;
import io.millrace.datasets.Lookup;
import io.millrace.datasets.MacKeys;
import io.millrace.datasets.catalog.Datasets;
import io.millrace.datasets.csv.AddressReader;
import io.millrace.datasets.csv.MacReader;
import io.millrace.wire.block.Addresses;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "lookup",
    description =
        "Look addresses up in the data sets: one row for each address, data set and field.",
    footer = {
      "",
      "  millrace dataset lookup -c millrace.yaml 192.0.2.1 2001:db8::1",
      "  millrace dataset lookup -c millrace.yaml 00:00:5e:00:53:01",
      "  millrace dataset lookup --file rdns.mrd --kind keyvalue --columns ip,dns:text 192.0.2.1",
      "  millrace dataset lookup --file rdns.mrd --kind keyvalue \\",
      "    --columns 'ip,dns:text,domain:domain(dns)' 192.0.2.1"
    })
final class DatasetLookupCommand implements Callable<Integer> {
  private static final Set<DatasetConfig.Kind> BY_ADDRESS =
      Set.of(DatasetConfig.Kind.RANGE, DatasetConfig.Kind.KEYVALUE, DatasetConfig.Kind.IXF);
  private static final Set<DatasetConfig.Kind> BY_MAC =
      Set.of(DatasetConfig.Kind.MAC, DatasetConfig.Kind.IXF);

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "ADDRESS", description = "IPv4, IPv6 or MAC address.")
  private List<String> addresses;

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration that declares the data sets.")
  private Path config;

  @Option(names = "--file", paramLabel = "F", description = "File of a single data set.")
  private Path file;

  @Option(
      names = "--kind",
      paramLabel = "range|keyvalue",
      description = "Kind of the data set in --file.")
  private String kind;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "COLUMN",
      description =
          "Columns of the data set in --file, for example start,end,as:number,as_name:text.")
  private List<String> columns;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  private final AddressReader reader = new AddressReader();

  @Override
  public Integer call() throws IOException {
    if (file == null ? kind != null || columns != null : kind == null || columns == null) {
      throw new UsageException("--file, --kind and --columns are required together");
    }
    for (String address : addresses) {
      parse(address);
    }
    RowPrinter printer = RowPrinter.of(format, spec.commandLine().getOut());
    printer.header(
        List.of(
            new RowPrinter.Column("address", false),
            new RowPrinter.Column("dataset", false),
            new RowPrinter.Column("field", false),
            new RowPrinter.Column("value", false)));
    if (file != null) {
      print(single(), printer);
    } else {
      for (DatasetConfig set : DeclaredDatasets.of(config)) {
        print(set, printer);
      }
    }
    printer.end();
    return 0;
  }

  private DatasetConfig single() {
    try {
      return DatasetConfig.parse(
          "file", kind, List.of(file), columns, Map.of(), false, DatasetConfig.DEFAULT_HOT_KEYS);
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  private void print(DatasetConfig config, RowPrinter printer) throws IOException {
    try (Dataset dataset = Datasets.open(config)) {
      Lookup lookup = dataset.newLookup();
      int[] record = new int[1];
      int[] value = new int[1];
      for (String address : addresses) {
        if (!(mac(address) == MacReader.NONE ? BY_ADDRESS : BY_MAC).contains(config.kind())) {
          continue;
        }
        find(lookup, address, record);
        for (int i = 0; i < dataset.fields().size(); i++) {
          Field field = dataset.fields().get(i);
          lookup.values(i, record, 1, value);
          String text = null;
          if (value[0] != Dataset.UNKNOWN) {
            text = field.isText() ? lookup.text(i, value[0]) : Integer.toUnsignedString(value[0]);
          }
          printer.row(new String[] {address, config.name(), field.name(), text});
        }
      }
    }
  }

  private void find(Lookup lookup, String address, int[] record) {
    long mac = mac(address);
    if (mac != MacReader.NONE) {
      long[] none = {Addresses.NULL};
      int[] anyVlan = {Dataset.UNKNOWN};
      lookup.lookup(
          new MacKeys(new long[] {mac}, anyVlan, anyVlan, none, none, none, none), 1, record);
    } else {
      parse(address);
      lookup.lookup(new long[] {reader.high()}, new long[] {reader.low()}, 1, record);
    }
  }

  private static long mac(String address) {
    byte[] bytes = address.getBytes(StandardCharsets.UTF_8);
    boolean isInteger = address.chars().allMatch(c -> c >= '0' && c <= '9');
    return isInteger ? MacReader.NONE : MacReader.parse(bytes, 0, bytes.length);
  }

  private void parse(String address) {
    byte[] bytes = address.getBytes(StandardCharsets.UTF_8);
    if (mac(address) == MacReader.NONE && !reader.parse(bytes, 0, bytes.length)) {
      throw new UsageException(address + ": not an IPv4, IPv6 or MAC address");
    }
  }
}
