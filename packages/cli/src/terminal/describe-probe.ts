import type { Container, Probe } from '@nodeagent/api';
import { type Field, field } from './fields.js';

/** The probes of a container. */
export function probeFields({ livenessProbe, readinessProbe, startupProbe }: Container): Field[] {
  return [
    ...field('Liveness', livenessProbe && probeText(livenessProbe)),
    ...field('Readiness', readinessProbe && probeText(readinessProbe)),
    ...field('Startup', startupProbe && probeText(startupProbe)),
  ];
}

/** `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3`, as in `kubectl describe pod`. */
function probeText(probe: Probe): string {
  const { initialDelaySeconds = 0, timeoutSeconds = 1, periodSeconds = 10, successThreshold = 1, failureThreshold = 3 } = probe;
  const times = `delay=${initialDelaySeconds}s timeout=${timeoutSeconds}s period=${periodSeconds}s`;
  return `${handlerText(probe)} ${times} #success=${successThreshold} #failure=${failureThreshold}`;
}

function handlerText({ exec, httpGet, tcpSocket, grpc }: Probe): string {
  if (exec) return `exec [${(exec.command ?? []).join(' ')}]`;
  if (httpGet) return `http-get ${(httpGet.scheme || 'HTTP').toLowerCase()}://${httpGet.host ?? ''}:${httpGet.port}${httpGet.path ?? ''}`;
  if (tcpSocket) return `tcp-socket ${tcpSocket.host ?? ''}:${tcpSocket.port}`;
  return grpc ? `grpc <pod>:${grpc.port} ${grpc.service ?? ''}`.trimEnd() : 'unknown';
}
