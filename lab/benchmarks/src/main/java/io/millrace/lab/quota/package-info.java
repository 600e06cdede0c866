/** How fast usage records and streaming events become signals. */
package io.millrace.lab.quota;
