/** Who makes a request: Kubernetes documentation, "Authenticating". */
export interface UserInfo {
  username: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who may do everything, and who calls in the name of the test itself. */
export const adminUser: UserInfo = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

export const anonymousUser: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
