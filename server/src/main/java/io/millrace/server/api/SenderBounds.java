package io.millrace.server.api;

import java.time.Duration;

/**
 * Limits of the senders of a {@link Listener}.
 *
 * @param connections maximum connections of all senders; further ones wait to be accepted
 * @param connectionsEach maximum connections of one sender; further ones are rejected
 * @param settingEach configuration key of {@code connectionsEach}, for the message
 * @param idle maximum time to receive the headers of the next request
 * @param body minimum rate of request bodies
 */
public record SenderBounds(
    int connections, int connectionsEach, String settingEach, Duration idle, Pace.Terms body) {}
