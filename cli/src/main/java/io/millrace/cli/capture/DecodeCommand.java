package io.millrace.cli.capture;

import io.millrace.analytics.app.AppFlow;
import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.ClassifierKind;
import io.millrace.cli.console.Progress;
import io.millrace.cli.console.UsageException;
import io.millrace.cli.print.RowFormat;
import io.millrace.cli.print.RowPrinter;
import io.millrace.wire.block.FlowBlock;
import io.millrace.wire.block.TableBlock;
import io.millrace.wire.block.TableSchema;
import io.millrace.wire.nat.NatEvents;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.sflow.Discards;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(
    name = "decode",
    description = {
      "Read captures (pcap, pcapng, also gzipped) and print one row for each flow sample, flow "
          + "record or packet: a header line with the column names of the table flows, empty "
          + "for NULL, times in UTC.",
      "",
      "The content is detected: a capture with export datagrams is decoded, any other is read as "
          + "packets.  Skipped input is counted on standard error.",
      "",
      "With --as flows, one row for each bidirectional flow of packets, client first, with its "
          + "application.",
      "",
      "With --as events, one row for each NAT event in NetFlow and IPFIX, with the columns of "
          + "the table nat_events.",
      "",
      "With --as discards, one row for each discarded packet reported in sFlow, with the columns "
          + "of the table discards.",
      "",
      "With --as count, one row for each second and protocol, counting all packets."
    })
public final class DecodeCommand implements Callable<Integer> {
  enum As {
    SFLOW,
    NETFLOW,
    PACKETS,
    FLOWS,
    EVENTS,
    DISCARDS,
    COUNT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "Captures, read in this order.")
  private List<Path> files;

  @Option(
      names = "--as",
      paramLabel = "KIND",
      description = "Content of the captures: ${COMPLETION-CANDIDATES}; detected by default.")
  private As as;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}; table by default.")
  private RowFormat format = RowFormat.TABLE;

  @Option(
      names = "--names",
      paramLabel = "FILE",
      description =
          "With --as flows: additional host names of applications; lines of application, tab, "
              + "names.")
  private Path names;

  @Option(
      names = "--classifier",
      paramLabel = "CLASSIFIER",
      description =
          "With --as flows: classifier of applications, ${COMPLETION-CANDIDATES}; built-in by "
              + "default. ndpi requires Debian's package libndpi4.2.")
  private ClassifierKind classifier = ClassifierKind.BUILT_IN;

  @Option(
      names = "--layer",
      paramLabel = "LAYER",
      description =
          "Layer of tunnelled packets that rows describe: ${COMPLETION-CANDIDATES}; inner by "
              + "default with --as flows, else outer.")
  private IpLayer layer;

  private IpLayer layer(IpLayer byDefault) {
    return layer == null ? byDefault : layer;
  }

  @Override
  public Integer call() {
    if (as == As.COUNT) {
      return count();
    }
    if (as == As.EVENTS) {
      return table(As.NETFLOW, NatEvents.SCHEMA);
    }
    if (as == As.DISCARDS) {
      return table(As.SFLOW, Discards.SCHEMA);
    }
    return as == As.FLOWS ? flows() : rows();
  }

  private int count() {
    CaptureCounts counts = new CaptureCounts(layer(IpLayer.OUTER));
    int status = 0;
    for (Path file : files) {
      status |= read(file, progress -> counts.read(file, progress));
    }
    if (status == 0 || !counts.isEmpty()) {
      counts.print(RowPrinter.of(format, spec.commandLine().getOut()));
    }
    spec.commandLine().getOut().flush();
    counts.remarks().forEach(each -> spec.commandLine().getErr().println("millrace: " + each));
    return status;
  }

  private int flows() {
    classifier
        .missing()
        .ifPresent(
            why -> {
              throw new UsageException(why);
            });
    PrintWriter out = spec.commandLine().getOut();
    AppFlowPrinter printer = new AppFlowPrinter(RowPrinter.of(format, out));
    AppNames known;
    try {
      known = names == null ? AppNames.builtIn() : AppNames.withFile(names);
    } catch (IOException | IllegalArgumentException e) {
      complain(names, e instanceof NoSuchFileException ? "no such file" : e.getMessage());
      return 1;
    }
    int status = 0;
    for (Path file : files) {
      CaptureApps capture =
          new CaptureApps(
              file, layer(IpLayer.INNER), classifier, known, flow -> print(printer, flow, out));
      status |=
          read(
              file,
              progress -> {
                capture.read(progress);
                printer.begin();
              });
      if (out.checkError()) {
        return 0;
      }
      capture.remarks().forEach(remark -> complain(file, remark));
    }
    printer.end();
    return status;
  }

  private static void print(AppFlowPrinter printer, AppFlow flow, PrintWriter out) {
    printer.print(flow);
    if (out.checkError()) {
      throw new ReaderGoneException();
    }
  }

  private interface Reading {
    void with(Progress progress) throws IOException;
  }

  private int read(Path file, Reading reading) {
    try (Progress progress = new Progress(file.getFileName().toString())) {
      reading.with(progress);
      return 0;
    } catch (NoSuchFileException e) {
      complain(file, "no such file");
    } catch (ReaderGoneException e) {
      return 0; // the pipe was closed by its reader, such as head
    } catch (IOException e) {
      complain(file, e.getMessage());
    }
    return 1;
  }

  private int rows() {
    PrintWriter out = spec.commandLine().getOut();
    FlowRowPrinter printer = new FlowRowPrinter(RowPrinter.of(format, out));
    int status =
        decode(
            Optional.ofNullable(as),
            block -> print(printer, block, out),
            others -> {
              // reported in the remarks
            },
            printer::begin);
    if (!out.checkError()) {
      printer.end();
    }
    return status;
  }

  private int table(As protocol, TableSchema schema) {
    PrintWriter out = spec.commandLine().getOut();
    TableRowPrinter printer = new TableRowPrinter(schema, RowPrinter.of(format, out));
    int status =
        decode(
            Optional.of(protocol),
            flows -> {
              // not requested
            },
            block -> {
              if (!block.schema().equals(schema)) {
                return;
              }
              printer.print(block);
              if (out.checkError()) {
                throw new ReaderGoneException();
              }
            },
            printer::begin);
    if (!out.checkError()) {
      printer.end();
    }
    return status;
  }

  private int decode(
      Optional<As> kind, Consumer<FlowBlock> flows, Consumer<TableBlock> others, Runnable begin) {
    int status = 0;
    for (Path file : files) {
      CaptureDecoder decoder = new CaptureDecoder(file, layer(IpLayer.OUTER), flows, others);
      status |=
          read(
              file,
              progress -> {
                decoder.decode(kind, progress);
                begin.run();
              });
      if (spec.commandLine().getOut().checkError()) {
        return 0;
      }
      decoder.remarks(as).forEach(remark -> complain(file, remark));
    }
    return status;
  }

  private static void print(FlowRowPrinter printer, FlowBlock block, PrintWriter out) {
    printer.print(block);
    if (out.checkError()) {
      throw new ReaderGoneException();
    }
  }

  /** The reader of standard output has closed it. */
  private static final class ReaderGoneException extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  private void complain(Path file, String what) {
    spec.commandLine().getOut().flush();
    spec.commandLine().getErr().println("millrace: " + file + ": " + what);
  }
}
