package io.millrace.traffic;

/**
 * The datagrams of a source that have a fixed number of samples, so that the number of stored rows
 * follows from that of datagrams. Sequence numbers have gaps; {@link PreparedTraffic} and {@link
 * PreparedRecords} renumber. Not thread-safe.
 */
public final class EqualDatagrams extends DerivedSource {
  private final int samples;
  private final boolean withoutSamplesToo;

  /**
   * @param samples samples per datagram
   * @param withoutSamplesToo whether to keep datagrams without samples, such as templates
   */
  public EqualDatagrams(DatagramSource source, int samples, boolean withoutSamplesToo) {
    super(source);
    this.samples = samples;
    this.withoutSamplesToo = withoutSamplesToo;
  }

  @Override
  public void next(ExportDatagram out) {
    do {
      source.next(out);
    } while (out.samples != samples && !(withoutSamplesToo && out.samples == 0));
  }
}
