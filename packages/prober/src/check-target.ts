import {
  checkOptionNames,
  errorMessage,
  type IntOrString,
  invalidOption,
  invalidOptionText,
  type OptionNames,
  type Probe,
  requirePositive,
} from '@nodeagent/api';
import { nearestName } from '@nodeagent/api/helpers';
import { probePort } from './ports.js';
import type { ProbeTarget } from './run-probe.js';

export type CompleteProbe = Probe & typeof defaults;

const defaults = { initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

const names: OptionNames<{ probe: Probe; target: ProbeTarget }> = {
  probe: {
    exec: { command: true },
    httpGet: { path: true, port: true, host: true, scheme: true, httpHeaders: { name: true, value: true } },
    tcpSocket: { port: true, host: true },
    grpc: { port: true, service: true },
    initialDelaySeconds: true,
    timeoutSeconds: true,
    periodSeconds: true,
    successThreshold: true,
    failureThreshold: true,
    terminationGracePeriodSeconds: true,
  },
  target: {
    host: true,
    ports: { name: true, containerPort: true, hostPort: true, hostIP: true, protocol: true },
    env: { name: true, value: true, valueFrom: true },
    exec: true,
  },
};

/** The probe with its defaults. Throws `InvalidOption` for one that can never succeed, whatever the target answers. */
export function checkProbe(given: Probe, target: ProbeTarget): CompleteProbe {
  checkOptionNames('add', { probe: given, target }, names);
  const { exec, httpGet, tcpSocket, grpc } = given;
  const handlers = [exec, httpGet, tcpSocket, grpc].filter(Boolean);
  if (handlers.length !== 1) throw invalidOption('probe', 'of exactly one handler: exec, httpGet, tcpSocket or grpc', handlers.length);
  const probe = { ...defaults, ...given };
  for (const field of ['timeoutSeconds', 'periodSeconds'] as const) requirePositive(`probe.${field}`, probe[field]);
  for (const field of ['successThreshold', 'failureThreshold'] as const) requirePositive(`probe.${field}`, probe[field], { integer: true });
  if (!(probe.initialDelaySeconds >= 0)) throw invalidOption('probe.initialDelaySeconds', 'a number from 0 on', probe.initialDelaySeconds);

  if (httpGet) checkPort('probe.httpGet.port', httpGet.port, target.ports);
  if (tcpSocket) checkPort('probe.tcpSocket.port', tcpSocket.port, target.ports);
  if (grpc) checkPort('probe.grpc.port', grpc.port, []);
  const scheme = httpGet?.scheme;
  if (scheme && !/^https?$/i.test(scheme)) throw invalidOption('probe.httpGet.scheme', 'HTTP or HTTPS', scheme);
  return probe;
}

function checkPort(field: string, port: IntOrString, ports: ProbeTarget['ports']): void {
  try {
    if (Number.isInteger(probePort(port, ports))) return;
  } catch (cause) {
    const known = (ports ?? []).flatMap(({ name }) => name ?? []);
    if (typeof port !== 'string' || !/^strconv/.test(errorMessage(cause))) throw invalidOption(field, 'a port from 1 to 65535', port);
    const near = nearestName(port, known);
    const hint = near === undefined ? `the named ports are: ${known.join(', ') || 'none'}` : `did you mean ${JSON.stringify(near)}?`;
    throw invalidOptionText(field, `${field}: the target has no port named ${JSON.stringify(port)}; ${hint}`, { cause });
  }
  throw invalidOption(field, 'a port from 1 to 65535', port);
}
