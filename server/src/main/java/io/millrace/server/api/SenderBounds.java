package io.millrace.server.api;

import java.time.Duration;

/**
 * What senders may have of a {@link Listener}.
 *
 * @param connections of all senders together; further ones wait to be accepted
 * @param connectionsEach of one sender; further ones are refused
 * @param settingEach that sets the latter, for the message
 * @param idle time in which a connection has to bring the headers of its next request
 * @param body how slowly the body of a request may come
 */
public record SenderBounds(
    int connections, int connectionsEach, String settingEach, Duration idle, Pace.Terms body) {}
