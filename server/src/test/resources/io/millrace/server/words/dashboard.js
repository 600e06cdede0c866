export const title = "Words";

export async function refresh() {}
