/** Protects HTTP servers from requests that pages of other sites cause. */
package io.millrace.engine.visitor;
