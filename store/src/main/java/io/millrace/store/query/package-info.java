/**
 * Queries for the largest groups of flows as typed SQL, for any database: expressions, SELECTs and
 * the {@link io.millrace.store.query.Dialect} that renders them. Depends on no driver.
 */
package io.millrace.store.query;
