/** Iceberg REST catalog of the tables of flows, for other engines. */
package io.millrace.server.catalog;
