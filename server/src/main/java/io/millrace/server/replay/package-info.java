/**
 * Stretches of the log that are run again, into tables of their own, beside the jobs that go on.
 * {@link io.millrace.server.replay.Replays} starts and knows them.
 */
package io.millrace.server.replay;
