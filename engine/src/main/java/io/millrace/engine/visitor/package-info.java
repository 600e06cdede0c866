/** Who may ask a server of ours over HTTP: pages of other sites may not. */
package io.millrace.engine.visitor;
