/** Counters of what happened to datagrams, stored with the rows and rewound with them. */
package io.millrace.store.duckdb.ledger;
