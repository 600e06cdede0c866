package io.millrace.analytics.app;

/**
 * Threema's chat protocol, whose bytes all look random: on port 5222, the client's hello has 48
 * bytes (key, cookie) and the server's has 80 (cookie, encrypted key and cookie).
 */
final class ThreemaDissector implements Dissector {
  private static final int PORT = 5222;
  private static final int CLIENT_HELLO = 48;
  private static final int SERVER_HELLO = 80;

  private enum Seen {
    CLIENT_HELLO
  }

  @Override
  public Result dissect(AppFlow flow, Payload payload) {
    if (flow.serverPort() != PORT || !flow.isUnknown()) {
      return Result.NO;
    }
    if (payload.fromClient && payload.length() == CLIENT_HELLO && flow.classifierState == null) {
      flow.classifierState = Seen.CLIENT_HELLO;
    } else if (!payload.fromClient
        && payload.length() == SERVER_HELLO
        && flow.classifierState == Seen.CLIENT_HELLO) {
      flow.classify("Threema", Evidence.PAYLOAD);
      return Result.DONE;
    }
    return Result.NO;
  }
}
