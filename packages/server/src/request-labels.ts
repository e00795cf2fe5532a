import type { AnyEndpoint } from './endpoint.js';
import { endpoints } from './endpoints.js';

/** The labels that a request counts under in the `kubelet_http_*` metrics. */
export interface RequestLabels {
  method: string;
  path: string;
  longRunning: boolean;
}

const methods = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'];

const byFirstSegment = new Map<string, Pick<AnyEndpoint, 'label' | 'isLongRunning'>>(
  endpoints.map((endpoint) => [endpoint.path.root.split('/')[1] ?? '', endpoint]),
);

/** The number of label values is bounded: unknown paths are `other`. */
export function requestLabels(method: string, path: string): RequestLabels {
  const [before = '', first = '', ...rest] = path.split('/');
  const { label, isLongRunning } = (before === '' ? byFirstSegment.get(first) : undefined) ?? { label: 'other', isLongRunning: false };
  return {
    method: methods.includes(method) ? method : 'other',
    path: typeof label === 'string' ? label : label(rest),
    longRunning: isLongRunning,
  };
}
