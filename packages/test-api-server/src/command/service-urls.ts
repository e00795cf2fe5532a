import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { invalidOption } from '@nodeagent/api';
import type { ServiceUrls } from '../network/service-endpoint.js';
import type { TestApiServer } from '../test-api-server.js';

const wanted = 'NAMESPACE/NAME=URL with a URL such as https://127.0.0.1:9443';

interface ServiceUrl {
  namespace: string;
  name: string;
  url: string;
}

function readServiceUrl(text: string): ServiceUrl {
  const [, namespace = '', name = '', url = ''] = /^([^/=]+)\/([^/=]+)=(https?:\/\/[^/?#]+)\/?$/.exec(text) ?? [];
  if (!URL.canParse(url)) throw invalidOption('serviceUrls', wanted, text);
  return { namespace, name, url };
}

/** Reads the URLs of Services, each `NAMESPACE/NAME=URL`: the option `serviceUrls`. Throws `InvalidOption`. */
export function readServiceUrls(texts: readonly string[]): ServiceUrls {
  const services = texts.map(readServiceUrl);
  return (namespace, name) => services.find((each) => each.namespace === namespace && each.name === name)?.url;
}

/**
 * Writes a certificate for Services, each `NAMESPACE/NAME=URL`, to `tls.crt` and its key to `tls.key` in a folder, which is created: what the Secret
 * of a webhook has in a cluster. Throws the errors of the file system.
 */
export function writeServiceCertificate(
  server: Pick<TestApiServer, 'issueServerCertificate'>,
  folder: string,
  texts: readonly string[],
): void {
  const hosts = texts
    .map(readServiceUrl)
    .flatMap(({ namespace, name }) => [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`]);
  const { cert, key } = server.issueServerCertificate(hosts);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key, { mode: 0o600 });
}
