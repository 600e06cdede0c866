/**
 * What every pipeline is ({@link io.millrace.pipelines.Pipeline}), what its job is built of ({@link
 * io.millrace.pipelines.Run}) and how that finds its store ({@link
 * io.millrace.pipelines.StoreLink}). One package beside this one for each product.
 */
package io.millrace.pipelines;
