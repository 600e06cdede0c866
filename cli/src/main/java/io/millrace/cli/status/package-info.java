/**
 * A cluster's status and the advice on it, as text for people: tables in a pipe, with bars and
 * curves on a terminal.
 */
package io.millrace.cli.status;
