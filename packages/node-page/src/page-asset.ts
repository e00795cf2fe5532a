import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** A file of the page, ready to send. */
interface Asset {
  type: string;
  plain: Buffer;
  gzipped: Buffer;
  etag: string;
}

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Sends files of a page by name; each is prepared at its first request. */
export function createPageAssets(
  files: Readonly<Record<string, string>>,
): (name: string, request: IncomingMessage, response: ServerResponse) => boolean {
  const ready = new Map<string, Asset>();
  const assetOf = (name: string): Asset | undefined => {
    const text = Object.hasOwn(files, name) ? files[name] : undefined;
    if (text === undefined) return undefined;
    const asset = ready.get(name) ?? makeAsset(name, text);
    ready.set(name, asset);
    return asset;
  };
  /** False if the file does not exist. */
  return (name, request, response) => {
    const asset = assetOf(name);
    if (asset === undefined) return false;
    const isGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const headers = { ETag: asset.etag, 'Cache-Control': 'no-cache', Vary: 'Accept-Encoding' };
    if (knows(request.headers['if-none-match'], asset.etag)) {
      response.writeHead(304, headers).end();
      return true;
    }
    const body = isGzip ? asset.gzipped : asset.plain;
    response.writeHead(200, {
      ...headers,
      'Content-Type': asset.type,
      'Content-Length': body.length,
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}

function makeAsset(name: string, text: string): Asset {
  const plain = Buffer.from(text);
  // Weak: the same for both encodings of the content.
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
  return { type: types[name.replace(/^.*\./, '')] ?? 'text/plain', plain, gzipped: gzipSync(plain), etag };
}

function knows(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((each) => each.trim() === etag || each.trim() === '*') ?? false;
}
