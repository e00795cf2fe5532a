import { invalidOption } from '@nodeagent/api';
import type { ClusterConfig } from './cluster-config.js';

/** Throws `InvalidOption` if the server or the proxy is no URL. */
export function checkCluster({ server, proxyUrl }: ClusterConfig): void {
  checkHttpUrl('cluster.server', server);
  if (proxyUrl !== undefined) checkHttpUrl('cluster.proxyUrl', proxyUrl);
}

function checkHttpUrl(field: string, url: string): void {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw invalidOption(field, 'an http or https URL', url);
}
