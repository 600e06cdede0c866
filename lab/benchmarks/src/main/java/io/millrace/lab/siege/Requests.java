package io.millrace.lab.siege;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Requests of attackers, byte by byte. */
final class Requests {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final byte[] NO_BODY = {};
  private static final String HOST = "Host: 127.0.0.1\r\n";

  private Requests() {}

  static byte[] get(String path) {
    return Attacker.request("GET", path, HOST, NO_BODY);
  }

  /** Encodes a GET; {@code headers} include Host. */
  static byte[] get(String path, String headers) {
    return Attacker.request("GET", path, headers, NO_BODY);
  }

  /** Encodes a query with a CSV result, which is streamed row by row. */
  static byte[] sql(String query) {
    try {
      byte[] body = JSON.writeValueAsBytes(Map.of("sql", query, "format", "csv"));
      return post("/api/v1/sql", "Content-Type: application/json\r\n", body);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Encodes a POST with headers in addition to Host. */
  static byte[] post(String path, String headers, byte[] body) {
    return Attacker.request("POST", path, HOST + headers, body);
  }

  /** Encodes a POST; {@code headers} include Host. */
  static byte[] post(String path, String headers, String body) {
    return Attacker.request("POST", path, headers, body.getBytes(StandardCharsets.UTF_8));
  }

  /** Encodes a request with gateway records. */
  static byte[] records(String token, String headers, byte[] body) {
    return records(token, "/ingest/gateways", headers, body);
  }

  /** Encodes a request with records for a path. */
  static byte[] records(String token, String path, String headers, byte[] body) {
    return post(path, authorization(token) + headers, body);
  }

  /** Encodes the opening handshake of a WebSocket. */
  static String upgrade(String token, String query) {
    return "GET /ingest/gateways/ws?"
        + query
        + " HTTP/1.1\r\n"
        + HOST
        + authorization(token)
        + "Upgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: c2llZ2Utc2llZ2Utc2llZw==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  }

  private static String authorization(String token) {
    return "Authorization: Bearer " + token + "\r\n";
  }
}
