package io.millrace.traffic;

import io.millrace.traffic.model.AddressPool;
import io.millrace.traffic.model.Packet;
import io.millrace.traffic.model.PacketWriter;
import io.millrace.traffic.model.TrafficConfig;
import io.millrace.traffic.model.TrafficModel;

/**
 * Generator of an exchange point's traffic: sFlow datagrams of its switches.
 *
 * <p>Each member network is connected to one port of one switch, and packets are sampled on
 * ingress. The packets of all switches form one stream in model time, so a busy switch fills its
 * datagrams more often. Not thread-safe.
 */
public final class TrafficGenerator implements DatagramSource {
  static final int FIRST_UPLINK = 1001;

  private final TrafficConfig config;
  private final AddressPool pool;
  private final TrafficModel model;
  private final Exporter[] exporters;
  private final int ports;
  private final Packet packet = new Packet();

  /** Creates a generator at the start of model time. */
  public TrafficGenerator(TrafficConfig config, AddressPool pool) {
    this.config = config;
    this.pool = pool;
    model = new TrafficModel(config, pool);
    ports = config.exporters().portsPerSwitch();
    PacketWriter writer = new PacketWriter(~config.seed());
    exporters = new Exporter[config.exporters().count()];
    for (int i = 0; i < exporters.length; i++) {
      exporters[i] = new Exporter(config, i, writer);
    }
  }

  @Override
  public int exporters() {
    return exporters.length;
  }

  @Override
  public int exporterAddress(int exporter) {
    return config.exporters().firstAddress() + exporter;
  }

  @Override
  public int networks() {
    return model.networks().size();
  }

  @Override
  public long asNumber(int network) {
    return pool.asNumber(model.networks().poolIndex(network));
  }

  @Override
  public void next(ExportDatagram out) {
    Packet sampled = packet;
    while (true) {
      model.next(sampled);
      int home = sampled.srcNetwork % exporters.length;
      int away = sampled.dstNetwork % exporters.length;
      Exporter exporter = exporters[home];
      long time = model.timeMicros();
      exporter.add(
          sampled,
          port(sampled.srcNetwork),
          home == away ? port(sampled.dstNetwork) : FIRST_UPLINK + away,
          (time - config.startMicros()) / 1000);
      if (exporter.isFull()) {
        exporter.finish(time, out);
        return;
      }
    }
  }

  private int port(int network) {
    return 1 + network / exporters.length % ports;
  }
}
