/**
 * The contract of every pipeline ({@link io.millrace.pipelines.Pipeline}), the parts of its job
 * ({@link io.millrace.pipelines.Run}) and the location of its store ({@link
 * io.millrace.pipelines.StoreLink}). One subpackage for each product.
 */
package io.millrace.pipelines;
