/**
 * Advice on a cluster: {@link io.millrace.engine.advice.Advisor} reads a {@link
 * io.millrace.engine.job.ClusterStatus} and says which step should have more subtasks, which fewer,
 * and which hosts idle while others are full. Plain rules, each with its reason; nothing is changed
 * automatically.
 */
package io.millrace.engine.advice;
