package io.millrace.traffic;

import java.util.List;

/**
 * Several sources as one, with a datagram of each alternately. It has the exporters of all sources,
 * in their order. Not thread-safe.
 */
public final class MixedTraffic implements DatagramSource {
  private final List<DatagramSource> sources;
  private final int[] firstExporter; // of each source, and the end
  private int turn;

  /** Combines at least one source; the networks are those of the first. */
  public MixedTraffic(List<? extends DatagramSource> sources) {
    this.sources = List.copyOf(sources);
    firstExporter = new int[sources.size() + 1];
    for (int i = 0; i < sources.size(); i++) {
      firstExporter[i + 1] = firstExporter[i] + sources.get(i).exporters();
    }
  }

  @Override
  public int exporters() {
    return firstExporter[sources.size()];
  }

  /** Returns the index of an exporter's source. */
  public int sourceOf(int exporter) {
    int source = 0;
    while (exporter >= firstExporter[source + 1]) {
      source++;
    }
    return source;
  }

  @Override
  public int exporterAddress(int exporter) {
    int source = sourceOf(exporter);
    return sources.get(source).exporterAddress(exporter - firstExporter[source]);
  }

  @Override
  public int networks() {
    return sources.get(0).networks();
  }

  @Override
  public long asNumber(int network) {
    return sources.get(0).asNumber(network);
  }

  @Override
  public void next(ExportDatagram out) {
    sources.get(turn).next(out);
    out.exporter += firstExporter[turn];
    turn = turn + 1 == sources.size() ? 0 : turn + 1;
  }
}
