import type { Container, HTTPGetAction } from '@nodeagent/api';
import { joinHostPort, probePort } from '../ports.js';
import { parseUrl, rawPathUrl, type Url } from '../url.js';

/** A request before it is sent. */
export interface HttpProbeRequest {
  url: Url;
  /** Value of the Host header. */
  host: string;
  /** All other headers by canonical name; a name with several values is sent several times. */
  headers: Readonly<Record<string, readonly string[]>>;
}

/** Inputs of an HTTP probe. */
export interface HttpProbeInput {
  action: HTTPGetAction;
  /** Address of the target, used unless the action names a host. */
  host: string;
  /** Ports that the action may name. */
  ports?: Container['ports'] | undefined;
  /** Value of User-Agent, unless the action's headers have one. */
  userAgent: string;
}

/**
 * The request of an `httpGet` action: Kubernetes documentation, "Configure Liveness, Readiness and Startup Probes: HTTP probes". Throws for
 * an invalid port, with the kubelet's message.
 */
export function buildHttpProbeRequest({ action, host, ports, userAgent }: HttpProbeInput): HttpProbeRequest {
  const { scheme = 'http', path = '', port, httpHeaders = [] } = action;
  const authority = joinHostPort(action.host || host, probePort(port, ports));
  const url: Url = { ...referenceOf(path), scheme: scheme.toLowerCase() || 'http', host: authority };

  const headers: Record<string, string[]> = {};
  for (const { name, value } of httpHeaders) {
    const key = canonicalName(name);
    headers[key] ??= [];
    headers[key].push(value);
  }
  const named = headers.Host?.[0];
  delete headers.Host;
  headers['User-Agent'] ??= [userAgent];
  headers.Accept ??= ['*/*'];
  if (headers.Accept[0] === '') delete headers.Accept;
  return { url, host: named || authority, headers };
}

/** The path may be a URL reference; an invalid one is used as a literal path. */
function referenceOf(path: string): Url {
  try {
    return parseUrl(path);
  } catch {
    return rawPathUrl(path);
  }
}

/** `X-Custom-Id` for `x-custom-ID`; an invalid header name stays unchanged. */
function canonicalName(name: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/.test(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (first) => first.toUpperCase());
}
