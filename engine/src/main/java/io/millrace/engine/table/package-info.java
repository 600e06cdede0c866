/**
 * Small tables that every subtask sees, and that are replaced while a job runs: versions in a topic
 * ({@link io.millrace.engine.table.TableTopic}), each valid from a moment of event time.
 */
package io.millrace.engine.table;
