/** Cluster status and advice as text: plain tables in a pipe, bars and sparklines on a terminal. */
package io.millrace.cli.status;
