package io.millrace.cli.capture;

import io.millrace.analytics.app.AppFlow;
import io.millrace.analytics.app.AppNames;
import io.millrace.analytics.app.AppTracker;
import io.millrace.analytics.app.ClassifierKind;
import io.millrace.analytics.flowtable.FlowTableConfig;
import io.millrace.cli.console.Progress;
import io.millrace.wire.packet.IpLayer;
import io.millrace.wire.pcap.CaptureReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Aggregates the packets of one capture into flows with applications. Used once. */
final class CaptureApps {
  private final Path file;
  private final AppTracker tracker;

  CaptureApps(
      Path file, IpLayer layer, ClassifierKind classifier, AppNames names, Consumer<AppFlow> out) {
    this.file = file;
    FlowTableConfig table = FlowTableConfig.defaults().withoutTimeouts();
    tracker = new AppTracker(table, layer, classifier, names, out);
  }

  void read(Progress progress) throws IOException {
    long size = Files.size(file);
    long bytesRead = 0;
    try (InputStream in = Files.newInputStream(file)) {
      CaptureReader capture = CaptureReader.open(in);
      while (capture.next()) {
        tracker.packet(
            capture.timeMicros(),
            capture.linkType(),
            capture.bytes(),
            capture.offset(),
            capture.length(),
            capture.wireLength());
        bytesRead += capture.length();
        progress.update(capture.frame(), bytesRead, size);
      }
    } finally {
      tracker.endAll();
      tracker.close();
    }
  }

  List<String> remarks() {
    List<String> remarks = new ArrayList<>(tracker.rejects().lines());
    add(remarks, tracker.evicted(), "flows evicted early (table full)");
    add(remarks, tracker.headsDropped(), "flows without payload inspection (buffers full)");
    return remarks;
  }

  private static void add(List<String> remarks, long count, String what) {
    if (count > 0) {
      remarks.add(count + " " + what);
    }
  }
}
