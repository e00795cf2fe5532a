import type { IncomingMessage, ServerResponse } from 'node:http';
import { clusterPageFiles } from '../cluster-page-files.js';
import { createEventStream } from '../event-stream.js';
import { createPageAssets } from '../page-asset.js';
import { refuse, sendJson, setPageHeaders, splitUrl } from '../page-http.js';
import { FollowedCluster } from './cluster-state.js';
import { isLocalRequest } from './local-request.js';
import { type ClusterPageOptions, resolveClusterOptions } from './options.js';

/** The web page of a simulated cluster. */
export interface ClusterPage {
  /**
   * Answers a request of a server of the loopback interface. Clients need no credentials; requests that a website causes, or with another
   * `Host` than the loopback interface's, get 403.
   */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Closes the streams and stops watching the cluster; later requests get 503. Idempotent. */
  stop(): void;
}

/**
 * Creates the page of a cluster: `/` for people, `/state` and `/pod?namespace=&name=` as JSON, `/events` for changes. It records the timeline
 * from now on. Throws `InvalidOption` naming the field.
 */
export function createClusterPage(options: ClusterPageOptions): ClusterPage {
  const resolved = resolveClusterOptions(options);
  const cluster = new FollowedCluster(resolved);
  const stream = createEventStream(cluster, resolved.clock, resolved.settings);
  const sendAsset = createPageAssets(clusterPageFiles);
  let stopped = false;
  return {
    handle(request, response) {
      const { method = 'GET', url = '/' } = request;
      const { path, query } = splitUrl(url);
      setPageHeaders(response);
      if (!isLocalRequest(request.headers)) return refuse(response, 403, 'a request of another website');
      if (stopped) return refuse(response, 503, 'the cluster has stopped');
      if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, `${method}: only GET is served`, { Allow: 'GET, HEAD' });
      const name = path.slice(1);
      if (name === 'state') {
        sendJson(response, method, cluster.state());
      } else if (name === 'pod') {
        const details = cluster.pod(query.get('name') ?? '', query.get('namespace') ?? '');
        if (details === undefined) refuse(response, 404, 'no such pod');
        else sendJson(response, method, details);
      } else if (name === 'events' && method === 'GET') {
        const lastEventId = request.headers['last-event-id'];
        stream.open(request, response, typeof lastEventId === 'string' ? lastEventId : (query.get('after') ?? undefined));
      } else if (!sendAsset(name || 'index.html', request, response)) {
        refuse(response, 404, `no such page: ${path}`);
      }
    },
    stop() {
      if (stopped) return;
      stopped = true;
      stream.close();
      cluster.close();
    },
  };
}
