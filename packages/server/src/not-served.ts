import type { AnyEndpoint } from './endpoint.js';

/** Authorization and metrics attributes of paths without an endpoint. */
export interface PathAttributes extends Pick<AnyEndpoint, 'authorization' | 'label' | 'isLongRunning'> {
  root: string;
}

/** Endpoints of a kubelet that this server does not have: requests to them are authorized and counted as a kubelet does. */
export const notServed: readonly PathAttributes[] = [
  { root: '/flagz', authorization: ['configz'], label: 'flagz', isLongRunning: false },
  { root: '/statusz', authorization: ['statusz'], label: 'statusz', isLongRunning: false },
];
