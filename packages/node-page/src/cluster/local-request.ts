import type { IncomingHttpHeaders } from 'node:http';

/** The loopback interface: a website can make its name resolve to it, but its requests have that name as `Host`. */
const localHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
/** Values of `Sec-Fetch-Site` that no page of another origin can cause: `none` is a navigation by the user, such as a bookmark. */
const ownSites: readonly (string | undefined)[] = [undefined, 'same-origin', 'none'];

/**
 * Whether a request to a server of the loopback interface is from the user or from a page of the server, and not from a website that the
 * user visits. A link of a website may open the page, which that website cannot read.
 *
 * @see https://fetch.spec.whatwg.org/#origin-header
 * @see https://www.w3.org/TR/fetch-metadata/
 */
export function isLocalRequest(headers: IncomingHttpHeaders): boolean {
  const { host = '', origin } = headers;
  if (!localHost.test(host) || (origin !== undefined && origin !== `http://${host}`)) return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
  return isNavigation || ownSites.includes(headers['sec-fetch-site']?.toString());
}
