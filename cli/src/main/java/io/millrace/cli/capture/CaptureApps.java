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

/** Turns the packets of one capture into flows with their applications. Used once. */
final class CaptureApps {
  private final Path file;
  private final AppTracker tracker;

  /**
   * A reader of the capture.
   *
   * @param layer whose flows they are where packets come in tunnels
   * @param out gets each flow that is over
   */
  CaptureApps(
      Path file, IpLayer layer, ClassifierKind classifier, AppNames names, Consumer<AppFlow> out) {
    this.file = file;
    FlowTableConfig table = FlowTableConfig.defaults().withoutTimeouts();
    tracker = new AppTracker(table, layer, classifier, names, out);
  }

  /**
   * Reads the capture.
   *
   * @throws io.millrace.wire.pcap.CaptureException if it is no capture or is damaged; the flows in
   *     front of the damage were given out
   */
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

  /** What could not be used, or not to the end, one line a cause. */
  List<String> remarks() {
    List<String> remarks = new ArrayList<>(tracker.rejects().lines());
    add(remarks, tracker.evicted(), "flows told early for want of room");
    add(remarks, tracker.headsRefused(), "times no memory for the first bytes of a flow");
    return remarks;
  }

  private static void add(List<String> remarks, long count, String what) {
    if (count > 0) {
      remarks.add(count + " " + what);
    }
  }
}
