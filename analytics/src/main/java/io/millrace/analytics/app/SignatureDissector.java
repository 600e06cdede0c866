package io.millrace.analytics.app;

final class SignatureDissector implements Dissector {
  private static final int TFTP = 69;
  private static final long KEPT_MICROS = 300_000_000L;

  private final Signatures signatures;
  private final RecentEnds<String> announced;

  private record PendingSignature(Signature signature, int times) {}

  SignatureDissector(Signatures signatures, RecentEnds<String> announced) {
    this.signatures = signatures;
    this.announced = announced;
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (payload.destinationPort == TFTP && flow.serverPort() == TFTP) {
      // Responses come from another port, to the requester's port.
      long until = payload.timeMicros + KEPT_MICROS;
      announced.put(flow.clientHigh(), flow.clientLow(), flow.clientPort(), "TFTP", until);
    }
    return dissect(signatures, flow, payload);
  }

  static Result dissect(Signatures signatures, AppFlow flow, Payload payload) {
    Signature found = signatures.find(payload);
    if (found == null) {
      return Result.NO;
    }
    if (found.times > 1) {
      int held =
          flow.classifierState instanceof PendingSignature before && before.signature == found
              ? before.times
              : 0;
      if (held + 1 < found.times) {
        flow.classifierState = new PendingSignature(found, held + 1);
        return Result.NO;
      }
    }
    int dot = found.app.indexOf('.');
    if (dot < 0) {
      flow.classify(found.app, Evidence.PAYLOAD);
    } else {
      String appProtocol = found.app.substring(0, dot);
      flow.classify(appProtocol, found.app.substring(dot + 1), Evidence.PAYLOAD);
    }
    return Result.DONE;
  }
}
