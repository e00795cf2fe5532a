/** Who makes a request: Kubernetes documentation, "Authenticating". */
export interface RequestUser {
  username: string;
  uid?: string;
  groups?: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** Who may do everything: who calls in the name of the test itself. */
export const adminUser: RequestUser = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
