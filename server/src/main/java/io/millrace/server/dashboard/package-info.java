/**
 * The console: pages of plain HTML, CSS and JavaScript modules under {@code /web}, served as they
 * lie there. No build step and nothing from other hosts; charts are drawn by uPlot, whose released
 * file lies in {@code uplot}.
 *
 * <p>{@code main.js} shows the page that the address names behind its {@code #}: a folder a page
 * ({@code now}, {@code explore}, {@code thing}, {@code sql}, {@code pipelines}, {@code sources}),
 * which exports {@code open(place)}. What pages share: {@code view.js} is what is asked, {@code
 * dimensions.js} what it is asked by, {@code values} what can be clicked, {@code chart} what is
 * drawn, {@code filter} fields that complete. A file {@code dashboard.js} beside the class of a
 * pipeline fills a section of the first page. What is asked of the server is written down in {@code
 * web/API.md}. {@link io.millrace.server.dashboard.DashboardAssets} hands out the files.
 */
package io.millrace.server.dashboard;
