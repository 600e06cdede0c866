/**
 * Replays, which process a range of the log again into separate tables, concurrently with the live
 * jobs. {@link io.millrace.server.replay.Replays} starts and lists them.
 */
package io.millrace.server.replay;
