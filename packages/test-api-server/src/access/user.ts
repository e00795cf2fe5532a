/** Who makes a request: Kubernetes documentation, "Authenticating". */
export interface RequestUser {
  username: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who may do everything, and who calls in the name of the test itself. */
export const adminUser: RequestUser = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

export const anonymousUser: RequestUser = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
