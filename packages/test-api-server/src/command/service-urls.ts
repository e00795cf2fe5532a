import { invalidOption } from '@nodeagent/api';
import type { ServiceUrls } from '../network/service-endpoint.js';

const wanted = 'NAMESPACE/NAME=URL with a URL such as https://127.0.0.1:9443';

/** Reads the URLs of Services, each `NAMESPACE/NAME=URL`: the option `serviceUrls`. Throws `InvalidOption`. */
export function readServiceUrls(texts: readonly string[]): ServiceUrls {
  const urls = new Map(
    texts.map((text) => {
      const [, service = '', url = ''] = /^([^/=]+\/[^/=]+)=(https?:\/\/[^/?#]+)\/?$/.exec(text) ?? [];
      if (!URL.canParse(url)) throw invalidOption('serviceUrls', wanted, text);
      return [service, url] as const;
    }),
  );
  return (namespace, name) => urls.get(`${namespace}/${name}`);
}
