package io.millrace.analytics.app;

import io.millrace.analytics.flowtable.Packet;
import io.millrace.wire.packet.PacketLayout;
import java.util.List;

/** Uses dissectors, then signatures, then DNS answers, then ports. */
final class BuiltInClassifier implements Classifier {
  private static final int UDP = 17;
  private static final int MAX_PACKETS_TCP = 40;
  private static final int MAX_PACKETS_UDP = 24;
  private static final int MAX_ANSWERS = 1 << 16;
  private static final int MAX_ANNOUNCED = 1 << 14;

  private final Signatures signatures = Signatures.builtIn();
  private final Ports ports = Ports.builtIn();
  private final AddressRanges addresses = AddressRanges.builtIn();
  private final RecentEnds<DnsDissector.Answer> answered = new RecentEnds<>(MAX_ANSWERS);
  private final RecentEnds<String> announced = new RecentEnds<>(MAX_ANNOUNCED);
  private final StunDissector stun;
  private final List<Dissector> overTcp;
  private final List<Dissector> overUdp;

  BuiltInClassifier(AppNames names) {
    TlsNames tlsNames = new TlsNames(names);
    TlsDissector tls = new TlsDissector(tlsNames);
    DnsDissector dns = new DnsDissector(names, answered);
    stun = new StunDissector(names, announced);
    overTcp =
        List.of(
            tls,
            new HttpDissector(names),
            new MailDissector(tls, announced),
            dns,
            stun,
            new ThreemaDissector());
    overUdp =
        List.of(
            dns,
            new QuicDissector(tlsNames),
            stun,
            new DtlsDissector(tlsNames),
            new CoapDissector(),
            new SignatureDissector(signatures, announced),
            new RtpDissector());
  }

  @Override
  public void classify(AppFlow flow, Packet packet, Payload stream, Payload segment) {
    boolean isTcp = flow.protocol() == PacketLayout.TCP;
    if (!isTcp && flow.protocol() != UDP) {
      flow.decide();
      classifyByIpProtocol(flow);
      return;
    }
    if (segment.length() == 0) {
      return;
    }
    flow.examinedPackets++;
    boolean isDone =
        isTcp
            ? tcp(flow, stream, segment)
            : firstMatch(flow, overUdp, stream) == Dissector.Result.DONE;
    if (isDone || flow.examinedPackets >= (isTcp ? MAX_PACKETS_TCP : MAX_PACKETS_UDP)) {
      guess(flow);
      flow.decide();
    }
  }

  private boolean tcp(AppFlow flow, Payload stream, Payload segment) {
    Dissector.Result result = firstMatch(flow, overTcp, stream);
    if (result == Dissector.Result.NO) {
      result = signature(flow, stream);
    }
    if (result == Dissector.Result.NO && segment.length() < stream.length()) {
      // The start of the stream was missed or is inconclusive.
      result = firstMatch(flow, overTcp, segment);
      if (result == Dissector.Result.NO) {
        result = signature(flow, segment);
      }
    }
    return result == Dissector.Result.DONE;
  }

  private Dissector.Result signature(AppFlow flow, Payload payload) {
    return SignatureDissector.dissect(signatures, flow, payload);
  }

  private static Dissector.Result firstMatch(AppFlow flow, List<Dissector> all, Payload payload) {
    Dissector current = flow.dissector;
    if (current != null) {
      Dissector.Result result = current.dissect(flow, payload);
      if (result != Dissector.Result.NO) {
        return result;
      }
      flow.dissector = null;
    }
    for (Dissector dissector : all) {
      if (dissector != current) {
        Dissector.Result result = dissector.dissect(flow, payload);
        if (result != Dissector.Result.NO) {
          flow.dissector = dissector;
          return result;
        }
      }
    }
    return Dissector.Result.NO;
  }

  private static void classifyByIpProtocol(AppFlow flow) {
    String appProtocol = Ports.ofIpProtocol(flow.protocol());
    if (appProtocol != null) {
      flow.classify(appProtocol, Evidence.IP_PROTOCOL);
    }
  }

  @Override
  public void guess(AppFlow flow) {
    if (flow.protocol() != PacketLayout.TCP && flow.protocol() != UDP) {
      classifyByIpProtocol(flow);
      return;
    }
    if (flow.app().equals("STUN")) {
      stun.relate(flow, flow.lastMicros());
    }
    if (flow.isUnknown()) {
      String related =
          announced.get(flow.serverHigh(), flow.serverLow(), flow.serverPort(), flow.lastMicros());
      if (related == null) {
        related =
            announced.get(
                flow.clientHigh(), flow.clientLow(), flow.clientPort(), flow.lastMicros());
      }
      if (related != null) {
        flow.classify(related, Evidence.RELATED);
        return;
      }
    }
    boolean isOpen =
        switch (flow.app()) {
          case AppFlow.UNKNOWN_APP, "TLS", "QUIC", "HTTP", "DTLS" -> flow.name() == null;
          default -> false;
        };
    if (!isOpen) {
      return;
    }
    String appProtocol = flow.isUnknown() ? byPort(flow) : flow.appProtocol();
    DnsDissector.Answer answer =
        answered.get(flow.serverHigh(), flow.serverLow(), RecentEnds.ANY_PORT, flow.lastMicros());
    if (answer != null && answer.app() != null) {
      flow.setName(answer.name());
      flow.classify(
          appProtocol == null ? AppFlow.UNKNOWN_APP : appProtocol,
          answer.app(),
          Evidence.DNS_ANSWER);
    } else if (flow.isUnknown() && appProtocol != null) {
      flow.classify(appProtocol, Evidence.PORT);
    } else if (flow.isUnknown()) {
      classifyByAddress(flow);
    }
  }

  /**
   * Protocol by port, unless the payload contradicts it: the first bytes of a connection, or any
   * datagram, would have matched the protocol's dissector. Connections whose start was missed are
   * exempt.
   */
  private String byPort(AppFlow flow) {
    boolean isWhole = flow.protocol() == UDP || flow.isBeginSeen();
    return flow.examinedPackets > 0 && isWhole ? null : ports.appProtocol(flow);
  }

  private void classifyByAddress(AppFlow flow) {
    String app = addresses.app(flow.serverHigh(), flow.serverLow());
    if (app == null) {
      app = addresses.app(flow.clientHigh(), flow.clientLow()); // the start was missed
    }
    if (app != null) {
      flow.classify(app, Evidence.ADDRESS);
    }
  }
}
