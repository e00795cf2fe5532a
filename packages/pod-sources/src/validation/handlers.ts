import type { Container, HTTPGetAction, IntOrString, LifecycleHandler, Probe, ProbeHandler } from '@nodeagent/api';
import type { FieldProblems } from '../field-problem.js';
import { checkAtLeast, checkPortName, checkPortNumber } from './names.js';

const probeFields = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;
const timings = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

/** Probes and hooks; init containers have them only as sidecars. Source: Kubernetes documentation, "Configure Probes", "Container Lifecycle Hooks". */
export function checkHandlers(
  field: string,
  container: Container,
  { mayHave, gracePeriod }: { mayHave: boolean; gracePeriod: number },
  problems: FieldProblems,
): void {
  for (const name of [...probeFields, 'lifecycle'] as const) {
    if (container[name] !== undefined && !mayHave) {
      problems.forbidden(`${field}.${name}`, 'may not be set for init containers without restartPolicy=Always');
    }
  }
  if (!mayHave) return;
  for (const name of probeFields) {
    const probe = container[name];
    if (probe) checkProbe(`${field}.${name}`, probe, name, problems);
  }
  for (const name of ['postStart', 'preStop'] as const) {
    const handler = container.lifecycle?.[name];
    if (!handler) continue;
    const place = `${field}.lifecycle.${name}`;
    checkHandler(place, handler, ['exec', 'httpGet', 'tcpSocket', 'sleep'], problems);
    if (handler.sleep && !(handler.sleep.seconds >= 0 && handler.sleep.seconds <= gracePeriod)) {
      problems.invalid(
        `${place}.sleep`,
        handler.sleep.seconds,
        `must be between 0 and the pod's terminationGracePeriodSeconds (${gracePeriod})`,
      );
    }
  }
}

function checkProbe(field: string, probe: Probe, kind: (typeof probeFields)[number], problems: FieldProblems): void {
  checkHandler(field, probe, ['exec', 'httpGet', 'tcpSocket', 'grpc'], problems);
  for (const name of timings) checkAtLeast(`${field}.${name}`, probe[name], 0, problems);
  if (kind === 'readinessProbe') {
    if (probe.terminationGracePeriodSeconds !== undefined) {
      problems.invalid(
        `${field}.terminationGracePeriodSeconds`,
        probe.terminationGracePeriodSeconds,
        'must not be set for readinessProbes',
      );
    }
    return;
  }
  checkAtLeast(`${field}.terminationGracePeriodSeconds`, probe.terminationGracePeriodSeconds, 1, problems);
  if (probe.successThreshold !== undefined && probe.successThreshold > 1) {
    problems.invalid(`${field}.successThreshold`, probe.successThreshold, 'must be 1');
  }
}

type AnyHandler = ProbeHandler & LifecycleHandler;

function checkHandler(field: string, handler: AnyHandler, kinds: readonly (keyof AnyHandler)[], problems: FieldProblems): void {
  const given = kinds.filter((kind) => handler[kind] !== undefined);
  if (given.length === 0) problems.required(field, `must specify one of ${kinds.join(', ')}`);
  for (const kind of given.slice(1)) problems.forbidden(`${field}.${kind}`, 'may not specify more than 1 handler type');
  if (handler.exec && !handler.exec.command?.length) problems.required(`${field}.exec.command`);
  if (handler.httpGet) checkHttpGet(`${field}.httpGet`, handler.httpGet, problems);
  if (handler.tcpSocket) checkPort(`${field}.tcpSocket.port`, handler.tcpSocket.port, problems);
  if (handler.grpc) checkPort(`${field}.grpc.port`, handler.grpc.port, problems);
}

function checkHttpGet(field: string, action: HTTPGetAction, problems: FieldProblems): void {
  checkPort(`${field}.port`, action.port, problems);
  problems.oneOf(`${field}.scheme`, action.scheme, ['HTTP', 'HTTPS']);
  for (const [index, { name }] of (action.httpHeaders ?? []).entries()) {
    if (!/^[-A-Za-z0-9]+$/.test(name ?? '')) {
      problems.invalid(`${field}.httpHeaders[${index}].name`, name ?? '', "a valid HTTP header has only letters, digits and '-'");
    }
  }
}

function checkPort(field: string, port: IntOrString | undefined, problems: FieldProblems): void {
  if (port === undefined) problems.required(field);
  else if (typeof port === 'number') checkPortNumber(field, port, problems);
  else checkPortName(field, port, problems);
}
