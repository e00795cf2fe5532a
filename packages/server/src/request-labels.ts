import { endpoints } from './endpoints.js';
import { notServed, type PathAttributes } from './not-served.js';

/** The labels that a request counts under in the `kubelet_http_*` metrics. */
export interface RequestLabels {
  method: string;
  path: string;
  longRunning: boolean;
}

const methods = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'];

const byFirstSegment = new Map<string, Pick<PathAttributes, 'label' | 'isLongRunning'>>(
  [...endpoints.map(({ path: { root }, ...rest }) => ({ ...rest, root })), ...notServed].map((each) => [
    each.root.split('/')[1] ?? '',
    each,
  ]),
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
