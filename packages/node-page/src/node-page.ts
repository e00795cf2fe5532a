import type { IncomingMessage, ServerResponse } from 'node:http';
import { createEventStream } from './event-stream.js';
import { createLiveState } from './live-state.js';
import { type NodePageOptions, resolveOptions } from './options.js';
import { createPageAssets } from './page-asset.js';
import { pageFiles } from './page-files.js';
import { refuse, sendJson, setPageHeaders, splitUrl } from './page-http.js';
import { type PageViewer, pageAccess } from './viewer.js';

/** The web page of a node. */
export interface NodePage {
  /**
   * Answers a request below the base path, and any other with 404. The server must authenticate and authorize the client first. Only with a
   * `viewer` the page has logs of containers, which the server serves at `/containerLogs` beside the page.
   */
  handle(request: IncomingMessage, response: ServerResponse, viewer?: PageViewer): void;
  /** Closes the streams and stops listening to the agent; later requests get 503. Idempotent. */
  stop(): void;
}

/**
 * Creates the page of a node: `/ui/` for people, `/ui/state` as JSON, `/ui/events` for changes. It records the agent's timeline from now
 * on. Throws `InvalidOption` naming the field.
 */
export function createNodePage(options: NodePageOptions): NodePage {
  const resolved = resolveOptions(options);
  const { basePath } = resolved.settings;
  const live = createLiveState(resolved);
  const stream = createEventStream(live, resolved.clock, resolved.settings);
  const sendAsset = createPageAssets(pageFiles);
  let stopped = false;

  return {
    handle(request, response, viewer) {
      const { method = 'GET', url = '/' } = request;
      const { path, query } = splitUrl(url);
      setPageHeaders(response);
      if (stopped) return refuse(response, 503, 'the agent has stopped');
      if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, `${method}: only GET is served`, { Allow: 'GET, HEAD' });
      // Relative, so that it works behind a proxy with a path prefix.
      if (`${path}/` === basePath) return refuse(response, 308, 'see below', { Location: `${path.slice(path.lastIndexOf('/') + 1)}/` });
      const name = path.startsWith(basePath) ? path.slice(basePath.length) : undefined;
      if (name === 'state') {
        sendJson(response, method, live.state());
      } else if (name === 'node') {
        void live.node().then((details) => sendJson(response, method, details));
      } else if (name === 'access') {
        void pageAccess(viewer).then((access) => sendJson(response, method, access));
      } else if (name === 'pod') {
        const details = live.pod(query.get('uid') ?? '');
        if (details === undefined) refuse(response, 404, 'no such pod');
        else sendJson(response, method, details);
      } else if (name === 'events' && method === 'GET') {
        const lastEventId = request.headers['last-event-id'];
        stream.open(request, response, typeof lastEventId === 'string' ? lastEventId : (query.get('after') ?? undefined));
      } else if (name === undefined || !sendAsset(name || 'index.html', request, response)) {
        refuse(response, 404, `no such page: ${path}`);
      }
    },
    stop() {
      if (stopped) return;
      stopped = true;
      stream.close();
      live.close();
    },
  };
}
