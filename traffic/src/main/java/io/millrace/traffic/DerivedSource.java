package io.millrace.traffic;

/** Source that derives datagrams from another source, with the same switches and networks. */
abstract class DerivedSource implements DatagramSource {
  final DatagramSource source;

  DerivedSource(DatagramSource source) {
    this.source = source;
  }

  @Override
  public int exporters() {
    return source.exporters();
  }

  @Override
  public int exporterAddress(int exporter) {
    return source.exporterAddress(exporter);
  }

  @Override
  public int networks() {
    return source.networks();
  }

  @Override
  public long asNumber(int network) {
    return source.asNumber(network);
  }
}
