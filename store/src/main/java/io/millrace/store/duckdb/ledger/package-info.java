/** The counts of what became of the datagrams, stored beside the rows and rewound with them. */
package io.millrace.store.duckdb.ledger;
