import type { IncomingMessage } from 'node:http';

/** Values of `Sec-Fetch-Site` that no page of another origin can cause: `none` is a navigation by the user, such as a bookmark. */
const ownSites: readonly (string | undefined)[] = [undefined, 'same-origin', 'none'];

/**
 * The origin of the web page that made this request, if it is not a page of this server; undefined if the request is allowed.
 *
 * A browser adds its client certificate to requests that any website triggers, so the certificate does not prove the user's intent. Only
 * upgrades and methods other than GET are checked, because a website cannot read the response to its GET. Clients other than browsers send
 * no `Origin`.
 *
 * The API server's proxy forwards the headers of its clients, `Origin` among them, and adds `X-Forwarded-For`. A website cannot make a
 * browser add that header: a WebSocket and a form cannot set it, and `fetch` sends a preflight request first, which this server rejects.
 *
 * @see https://fetch.spec.whatwg.org/#origin-header
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function foreignOrigin({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): string | undefined {
  if (method === 'GET' && headers.upgrade === undefined) return undefined;
  if (headers['x-forwarded-for'] !== undefined) return undefined;
  const { origin, host = '' } = headers;
  const site = headers['sec-fetch-site']?.toString();
  const isOwn = ownSites.includes(site) && (origin === undefined || isOriginOf(origin, host));
  return isOwn ? undefined : (origin ?? site);
}

/** Whether this is the origin of the request's host, port included. `null`, the origin of a sandboxed page, belongs to no host. */
function isOriginOf(origin: string, host: string): boolean {
  const own = `https://${host}`;
  return URL.canParse(own) && URL.canParse(origin) && new URL(origin).origin === new URL(own).origin;
}
