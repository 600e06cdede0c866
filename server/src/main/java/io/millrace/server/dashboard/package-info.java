/**
 * The console: HTML, CSS and JavaScript modules in {@code /web}, served unchanged, without a build
 * step or resources of other hosts. uPlot, in {@code uplot}, draws the charts.
 *
 * <p>{@code main.js} opens the page given in the URL's fragment. Each page is a folder ({@code
 * now}, {@code explore}, {@code thing}, {@code sql}, {@code pipelines}, {@code sources}) that
 * exports {@code open(place)}. Shared modules: {@code view.js} the query, {@code dimensions.js} its
 * dimensions, {@code values} clickable values, {@code chart} charts, {@code filter} fields with
 * completion. A resource {@code dashboard.js} of a pipeline's class fills a section of the first
 * page. {@code web/API.md} documents the requests. {@link
 * io.millrace.server.dashboard.DashboardAssets} serves the files.
 */
package io.millrace.server.dashboard;
