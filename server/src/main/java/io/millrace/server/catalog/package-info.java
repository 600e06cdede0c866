/** The tables of flows as a catalog for other engines. */
package io.millrace.server.catalog;
