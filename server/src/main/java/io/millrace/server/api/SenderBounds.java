package io.millrace.server.api;

import java.time.Duration;

/**
 * Limits of a {@link Listener}'s senders.
 *
 * @param connections of all senders together; further ones wait to be accepted
 * @param connectionsEach of one sender; further ones are rejected
 * @param settingEach key of the latter, for the message
 * @param idle limit for the headers of a connection's next request
 * @param body minimum rate of a request's body
 */
public record SenderBounds(
    int connections, int connectionsEach, String settingEach, Duration idle, Pace.Terms body) {}
