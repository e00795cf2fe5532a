/** Recorded subjects without an adapter, and why. The runner prints them; an adapter replaces its entry. */
export const withoutAdapter: Readonly<Record<string, string>> = {};
