package io.millrace.server.flight;

import io.millrace.server.access.AccessToken;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.auth2.CallHeaderAuthenticator;

/**
 * Authenticates by the token, as over HTTP. Clients that only support users and passwords (JDBC,
 * and ADBC with a user name) send the token as the password of any user, and get it back as the
 * bearer token of further calls. Thread-safe.
 */
final class FlightAccess implements CallHeaderAuthenticator {
  private static final String AUTHORIZATION = "authorization";
  private static final String BASIC = "Basic ";
  private static final String BEARER = "Bearer ";
  private static final String NONE = BEARER + "none"; // accepted if no token is required

  private final AccessToken token; // null if none is required

  FlightAccess(AccessToken token) {
    this.token = token;
  }

  @Override
  public AuthResult authenticate(CallHeaders headers) {
    String shown = headers.get(AUTHORIZATION);
    boolean basic = shown != null && shown.regionMatches(true, 0, BASIC, 0, BASIC.length());
    String bearer = basic ? BEARER + password(shown.substring(BASIC.length()).strip()) : shown;
    if (token != null && !token.matches(bearer)) {
      throw CallStatus.UNAUTHENTICATED
          .withDescription(
              "missing or wrong token; send Authorization: Bearer TOKEN, or the token as the"
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
      throw rejection(e);
    }
  }

  private static FlightRuntimeException rejection(IllegalArgumentException e) {
    return CallStatus.UNAUTHENTICATED
        .withDescription("Authorization: Basic is not valid base64")
        .withCause(e)
        .toRuntimeException();
  }

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
      return "authenticated";
    }
  }
}
