/** Protection of HTTP servers from cross-site request forgery (CSRF) and DNS rebinding. */
package io.millrace.engine.csrf;
