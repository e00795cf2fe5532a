/** The labels that a request counts under in the `kubelet_http_*` metrics. */
export interface RequestLabels {
  method: string;
  path: string;
  longRunning: boolean;
}

const methods = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'CONNECT'];
const firstSegments = [
  'attach',
  'checkpoint',
  'configz',
  'containerLogs',
  'debug',
  'exec',
  'flagz',
  'healthz',
  'logs',
  'pods',
  'portForward',
  'run',
  'runningpods',
  'stats',
  'statusz',
];
const metricsSegments = ['cadvisor', 'probes', 'resource', 'slis'];
const longRunning = ['attach', 'debug', 'exec'];

/** Of bounded number, whatever is asked for: what is not known is `other`. */
export function requestLabels(method: string, path: string): RequestLabels {
  const [before = '', first = '', second] = path.split('/');
  const isRooted = before === '';
  const isMetrics = first === 'metrics' && (second === undefined || metricsSegments.includes(second));
  const known = isMetrics ? (second === undefined ? first : `${first}/${second}`) : firstSegments.includes(first) ? first : 'other';
  return {
    method: methods.includes(method) ? method : 'other',
    path: isRooted ? known : 'other',
    longRunning: isRooted && longRunning.includes(first),
  };
}
