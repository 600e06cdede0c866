package io.millrace.server.alerts;

import io.millrace.analytics.alerts.AlertKind;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A query of the {@link AlertHistory}.
 *
 * @param from start of the range; includes alerts that were active then
 * @param to exclusive end of the range, in which an alert must have begun
 * @param key a key or one part of it; empty for all
 * @param n maximum number of alerts, the newest ones
 * @param isBegun whether to return only alerts that began in the range, which reads less
 */
record AlertQuery(
    Instant from, Instant to, Set<AlertKind> kinds, Optional<String> key, int n, boolean isBegun) {}
