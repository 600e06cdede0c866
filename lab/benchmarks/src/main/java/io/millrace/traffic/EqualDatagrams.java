package io.millrace.traffic;

/**
 * Those datagrams of a source that hold one number of samples, and those that hold none: what is
 * stored of so many datagrams is then a product. Sequence numbers have gaps; {@link
 * PreparedTraffic} and {@link PreparedRecords} renumber. Not thread-safe.
 */
public final class EqualDatagrams extends DerivedSource {
  private final int samples;
  private final boolean withoutSamplesToo;

  /**
   * @param samples in each datagram
   * @param withoutSamplesToo whether datagrams with none are kept: templates
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
