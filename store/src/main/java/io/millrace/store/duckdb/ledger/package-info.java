/** The counts of what became of the datagrams, stored next to the rows and rewound with them. */
package io.millrace.store.duckdb.ledger;
