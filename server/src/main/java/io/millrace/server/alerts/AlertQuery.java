package io.millrace.server.alerts;

import io.millrace.analytics.alerts.AlertKind;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * A query of the {@link AlertHistory}.
 *
 * @param from start of the range; alerts active at this time are included
 * @param to end of the range, exclusive; alerts must have begun before it
 * @param key a key or one part of it; empty for all
 * @param n maximum number of alerts; the newest are returned
 * @param isBegun whether to return only alerts that began in the range, which reads fewer rows
 */
record AlertQuery(
    Instant from, Instant to, Set<AlertKind> kinds, Optional<String> key, int n, boolean isBegun) {}
