package io.millrace.server.flight;

import io.millrace.server.access.AccessToken;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.auth2.CallHeaderAuthenticator;

/**
 * Who may ask: as over HTTP, who shows the token. Clients that know users and passwords only (JDBC,
 * and ADBC with a user name) show it as the password, to any user name, and get it back as the
 * bearer token that they send from then on. Thread-safe.
 */
final class FlightAccess implements CallHeaderAuthenticator {
  private static final String AUTHORIZATION = "authorization";
  private static final String BASIC = "Basic ";
  private static final String BEARER = "Bearer ";
  private static final String NONE = BEARER + "none"; // where there is no token, any will do

  private final AccessToken token; // null for none

  FlightAccess(AccessToken token) {
    this.token = token;
  }

  @Override
  public AuthResult authenticate(CallHeaders headers) {
    String shown = headers.get(AUTHORIZATION);
    boolean basic = shown != null && shown.regionMatches(true, 0, BASIC, 0, BASIC.length());
    String bearer = basic ? BEARER + password(shown.substring(BASIC.length()).strip()) : shown;
    if (token != null && !token.isShownBy(bearer)) {
      throw CallStatus.UNAUTHENTICATED
          .withDescription(
              "the token is missing or wrong: send it as Authorization: Bearer TOKEN, or as the"
                  + " password of any user")
          .toRuntimeException();
    }
    return basic ? new BearerIdentity(token == null ? NONE : bearer) : () -> "";
  }

  private static String password(String encoded) {
    try {
      String pair = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
      return pair.substring(pair.indexOf(':') + 1);
    } catch (IllegalArgumentException e) {
      throw refusal(e);
    }
  }

  private static FlightRuntimeException refusal(IllegalArgumentException e) {
    return CallStatus.UNAUTHENTICATED
        .withDescription("Authorization: Basic is not in base64")
        .withCause(e)
        .toRuntimeException();
  }

  /** Tells the client what to send from now on. */
  private record BearerIdentity(String bearer) implements AuthResult {
    @Override
    public String getPeerIdentity() {
      return "";
    }

    @Override
    public void appendToOutgoingHeaders(CallHeaders outgoing) {
      outgoing.insert(AUTHORIZATION, bearer);
    }

    @Override
    public String toString() {
      return "Introduced";
    }
  }
}
