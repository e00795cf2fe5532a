/** The user of a request: Kubernetes documentation, "Authenticating". */
export interface RequestUser {
  username: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** The administrator, as which the test itself calls. */
export const adminUser: RequestUser = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
