/**
 * How often the ads of a campaign are seen: {@link io.millrace.analytics.ads.ViewCounts} joins
 * views with campaigns and counts those of a block, {@link
 * io.millrace.analytics.ads.CampaignWindows} adds these up over windows of event time.
 */
package io.millrace.analytics.ads;
