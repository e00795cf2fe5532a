import { NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';

/** A place that has the images of a repository. A pull tries the endpoints in their order. */
export interface RegistryEndpoint {
  /** With scheme and path, without a slash at its end: `https://registry.example.com/v2`. */
  url: string;
  /** The repository's name there. */
  repository: string;
  /** The registry that a mirror stands for, sent as the parameter `ns`. Undefined: the endpoint is the registry. */
  namespace?: string;
  /** Whether tags can be resolved there; content by digest can be fetched from every endpoint. */
  canResolve: boolean;
  /** Whether content by digest can be fetched there. */
  canPull: boolean;
  /** Whether the server's certificate is not verified. Default false. */
  skipVerify?: boolean;
  /** Files of certificate authorities beside those that Node knows. */
  caFiles?: readonly string[];
  /** Files of the client's certificate and key; the key may be in the certificate's file. */
  clientCertificates?: readonly { certificate: string; key?: string }[];
  headers?: Readonly<Record<string, string>>;
}

/** A repository with its registry: `docker.io/library/nginx`. */
export function splitRepository(repository: string): { registry: string; path: string } {
  const slash = repository.indexOf('/');
  return { registry: repository.slice(0, slash), path: repository.slice(slash + 1) };
}

/** The host that serves a registry: Docker's registry has another name than its images. */
export const registryHost = (registry: string) => (registry === 'docker.io' ? 'registry-1.docker.io' : registry);

/** Whether containerd and Docker reach a registry without TLS unless configured otherwise: one on this machine, on a port other than 443. */
export function isLocalRegistry(registry: string): boolean {
  const [, host = '', port = '80'] = /^(.*?|\[.*\])(?::(\d+))?$/.exec(registry) ?? [];
  return port !== '443' && (host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host));
}

/** The endpoint of a registry for which nothing is configured. */
export function defaultEndpoint(repository: string): RegistryEndpoint {
  const { registry, path } = splitRepository(repository);
  const scheme = isLocalRegistry(registry) ? 'http' : 'https';
  return { url: `${scheme}://${registryHost(registry)}/v2`, repository: path, canResolve: true, canPull: true };
}

/** An error about a registry configuration. */
export function invalidConfig(field: string, rule: string, path?: string): NodeAgentError {
  const place = path === undefined ? '' : `${path}: `;
  return new NodeAgentError(imageStoreErrorCodes.invalidRegistryConfig, `invalid registry configuration: ${place}${field} ${rule}`, {
    details: { field, ...(path !== undefined && { path }) },
  });
}
