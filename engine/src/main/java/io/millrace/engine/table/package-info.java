/**
 * Small tables for all subtasks, which are replaced while a job runs: versions in a topic ({@link
 * io.millrace.engine.table.TableTopic}), each valid from a point in event time.
 */
package io.millrace.engine.table;
