/** Recorded subjects without an adapter, and why. The runner prints them; an adapter replaces its entry. */
export const withoutAdapter: Readonly<Record<string, string>> = {
  'cert-rotation-deadline': 'no package rotates certificates yet: a certificate manager is missing',
  'cert-server-template': 'no package requests serving certificates yet: a certificate manager is missing',
};
