/** Cluster status and advice as text; with bars and sparklines on a terminal. */
package io.millrace.cli.status;
