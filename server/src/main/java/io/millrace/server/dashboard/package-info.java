/**
 * The dashboard: one page of plain HTML, CSS and JavaScript modules under {@code /web}, served as
 * it lies there. No build step and nothing from other hosts.
 *
 * <p>A folder a section ({@code live}, {@code top}, {@code ledger}, {@code pipelines}, {@code
 * sql}), and a file {@code dashboard.js} beside the class of each pipeline that has one; what it
 * asks the server is written down in {@code web/API.md}. {@link
 * io.millrace.server.dashboard.DashboardAssets} hands out the files.
 */
package io.millrace.server.dashboard;
