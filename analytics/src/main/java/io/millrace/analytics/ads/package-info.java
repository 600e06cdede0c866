/**
 * Views of the ads of a campaign: {@link io.millrace.analytics.ads.ViewCounts} joins views with
 * campaigns and counts those of a block, {@link io.millrace.analytics.ads.CampaignWindows} sums
 * these over windows of event time.
 */
package io.millrace.analytics.ads;
