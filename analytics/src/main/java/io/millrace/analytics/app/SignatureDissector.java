package io.millrace.analytics.app;

/** Protocols that are known by a few bytes, see {@link Signatures}. */
final class SignatureDissector implements Dissector {
  private static final int TFTP = 69;
  private static final long KEPT_MICROS = 300_000_000L;

  private final Signatures signatures;
  private final RecentEnds<String> announced;

  /** A signature that must hold more often than it has. */
  private record PendingSignature(Signature signature, int times) {}

  SignatureDissector(Signatures signatures, RecentEnds<String> announced) {
    this.signatures = signatures;
    this.announced = announced;
  }

  @Override
  public Result look(AppFlow flow, Payload payload) {
    if (payload.destinationPort == TFTP && flow.serverPort() == TFTP) {
      // The answers come from another port, to the one that has asked.
      long until = payload.timeMicros + KEPT_MICROS;
      announced.put(flow.clientHigh(), flow.clientLow(), flow.clientPort(), "TFTP", until);
    }
    return look(signatures, flow, payload);
  }

  static Result look(Signatures signatures, AppFlow flow, Payload payload) {
    Signature found = signatures.find(payload);
    if (found == null) {
      return Result.NO;
    }
    if (found.times > 1) {
      int held =
          flow.notes instanceof PendingSignature before && before.signature == found
              ? before.times
              : 0;
      if (held + 1 < found.times) {
        flow.notes = new PendingSignature(found, held + 1);
        return Result.NO;
      }
    }
    int dot = found.app.indexOf('.');
    if (dot < 0) {
      flow.speaks(found.app, Evidence.PAYLOAD);
    } else {
      String spoken = found.app.substring(0, dot);
      flow.is(spoken, found.app.substring(dot + 1), Evidence.PAYLOAD);
    }
    return Result.DONE;
  }
}
