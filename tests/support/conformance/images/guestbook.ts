import type { Program, ProgramContext, ServerRequest } from '@nodeagent/memory-runtime';
import { flag } from './flags.js';

const registerAttempts = 15;

/** `guestbook`: a store that passes its entries on to its replicas, or their front end. */
export const guestbook: Program = async (context) => {
  const { argv, listen, sleep, signal } = context;
  const port = flag(argv, 'backend-port', '6379');
  const replicaOf = flag(argv, 'replicaof', '');
  const entries: Record<string, string> = replicaOf ? await register(context, `${replicaOf}:${port}`) : {};
  const replicas: string[] = [];
  const ask = async (host: string, path: string) => (await context.fetch(`http://${host}:${port}${path}`)).text();

  const paths: Readonly<Record<string, (request: ServerRequest) => Promise<object>>> = {
    '/register': async ({ query }) => {
      replicas.push(query.get('host') ?? '');
      return { data: entries };
    },
    '/get': async ({ query }) => {
      const key = query.get('key');
      return { data: key ? (entries[key] ?? '') : entries };
    },
    '/set': async ({ query, url }) => {
      entries[query.get('key') ?? ''] = query.get('value') ?? '';
      for (const replica of replicas) await ask(replica, url);
      return { message: 'Updated' };
    },
    '/guestbook': async ({ query, url }) => {
      const command = query.get('cmd') === 'set' ? 'set' : 'get';
      const host = command === 'set' ? 'agnhost-primary' : 'agnhost-replica';
      return JSON.parse(await ask(host, url.replace('/guestbook', `/${command}`)));
    },
  };
  listen(Number(flag(argv, 'http-port', '80')), async (request) => {
    const json = await paths[request.path]?.(request);
    return json ? { json } : { status: 404 };
  });
  await sleep(Number.POSITIVE_INFINITY, signal);
};

/** Registers at the primary and returns its entries. */
async function register({ fetch, sleep, addresses, stdout }: ProgramContext, primary: string): Promise<Record<string, string>> {
  for (let attempt = 0; attempt < registerAttempts; attempt++) {
    try {
      const answer: unknown = await (await fetch(`http://${primary}/register?host=${addresses[0]}`)).json();
      if (isStore(answer)) return answer.data;
    } catch (error) {
      stdout(`failed to register at ${primary}: ${error}`);
    }
    await sleep(1_000);
  }
  throw new Error(`timed out while registering at ${primary}`);
}

const isStore = (value: unknown): value is { data: Record<string, string> } =>
  typeof value === 'object' && value !== null && 'data' in value && typeof value.data === 'object';
