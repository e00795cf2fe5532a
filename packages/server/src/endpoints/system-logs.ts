import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { handlePath, pathOnly } from '@nodeagent/api/files';
import { defineEndpoint } from '../endpoint.js';
import { anyBelow, service } from '../endpoint-path.js';
import { answerText, beginAnswer, writePieces } from '../http/answers.js';
import type { Exchange, Handler } from '../http/exchange.js';
import { disabled } from '../refusal.js';
import { debugging } from '../route-switches.js';

const html = { 'content-type': 'text/html; charset=utf-8' };
const noFile = '404 page not found\n';

/** Serves files and listings of a directory, and nothing outside of it, even through symbolic links. Special files respond with 404. */
const systemLogsHandler =
  (directory: string): Handler<{ rest: string }> =>
  async (exchange, { rest: path }) => {
    const { request, response } = exchange;
    const handle = await openInside(directory, path);
    if (handle === undefined) return answerText(response, 404, noFile);
    try {
      const stat = await handle.stat();
      if (stat.isFile()) return await sendFile(exchange, handle, path, stat.size);
      if (!stat.isDirectory()) return answerText(response, 404, noFile);
      const asked = (request.url ?? '').split('?')[0] ?? '';
      if (!asked.endsWith('/')) return answerText(response, 301, '', { location: `${asked.slice(asked.lastIndexOf('/') + 1)}/` });
      const entries = await readdir(handlePath(handle.fd), { withFileTypes: true });
      const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? '/' : ''}`).sort();
      answerText(response, 200, listing(names), html);
    } finally {
      await handle.close();
    }
  };

/** Follows symbolic links; undefined if the file is missing, unreadable or outside. Decides by the found file: a link may change between two calls. */
async function openInside(directory: string, path: string): Promise<FileHandle | undefined> {
  let found: FileHandle | undefined;
  try {
    const root = await realpath(directory);
    found = await open(join(root, path), pathOnly);
    const place = await readlink(handlePath(found.fd));
    if (place !== root && !place.startsWith(`${root}/`)) return undefined;
    return await open(handlePath(found.fd), constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return undefined;
  } finally {
    await found?.close();
  }
}

async function sendFile({ response, signal }: Exchange, handle: FileHandle, path: string, size: number): Promise<void> {
  const isText = ['', '.log', '.txt'].includes(extname(basename(path)));
  beginAnswer(response, isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
  // Limited to the current size, because a growing log would not end.
  if (size > 0) await writePieces(response, handle.createReadStream({ start: 0, end: size - 1, autoClose: false }), signal);
  response.end();
}

function listing(names: readonly string[]): string {
  const lines = names.map((name) => `<a href="${encodeURIComponent(name).replaceAll('%2F', '/')}">${escapeHtml(name)}</a>\n`);
  return `<!doctype html>\n<meta name="viewport" content="width=device-width">\n<pre>\n${lines.join('')}</pre>\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&#34;', "'": '&#39;' };
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => entities[character] ?? character);

/** `/logs/PATH`. */
export const systemLogsEndpoint = defineEndpoint({
  name: 'logs',
  path: service('/logs', anyBelow),
  methods: ['GET'],
  authorization: ['log'],
  label: 'logs',
  isLongRunning: false,
  enabledBy: [debugging, { switch: 'enableSystemLogHandler', refusal: disabled('logs endpoint is disabled.') }],
  handle: ({ systemLogsDir }) => (systemLogsDir === undefined ? undefined : systemLogsHandler(systemLogsDir)),
});
