import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { run } from './debian-package.js';

/** The Chromium of this machine, the one without a screen first; undefined without one. */
function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(':');
  const names = ['chromium-headless-shell', 'chromium'];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(existsSync);
}

/** The Chromium of this machine; where it is a must (CI) Debian's is installed. */
export function provideChromium(): string | undefined {
  const found = findChromium();
  if (found !== undefined || process.env.NODEAGENT_E2E !== 'required') return found;
  const quietly = ['-qq', '-o', 'DPkg::Lock::Timeout=60'];
  run('apt-get', ['update', ...quietly]);
  run('apt-get', ['install', '-y', '--no-install-recommends', ...quietly, 'chromium-headless-shell', 'iproute2']);
  return findChromium();
}

type Json = Record<string, unknown>;

/** A tab of a headless Chromium, driven by the DevTools protocol over its pipe: no port, no library. */
export interface Tab {
  /** Calls a method of the protocol, such as `Page.navigate`. */
  call<T = Json>(method: string, params?: Json): Promise<T>;
  /** What the expression gives in the page; a promise is waited for. Rejects with what it throws. */
  evaluate<T>(expression: string): Promise<T>;
  /** Presses a key such as `Tab`, `Enter` or `a`, with others held. */
  press(key: string, held?: readonly ('Ctrl' | 'Shift')[]): Promise<void>;
  /** Seconds of processor time that all processes of the browser have taken: other programs of the machine change them little. */
  cpuSeconds(): Promise<number>;
  /** Of these, those of the thread that runs the page's scripts, styles and layout, since a point in time that stays the same. */
  pageThreadSeconds(): Promise<number>;
  /** What the page wrote to its console as an error or threw, and requests that failed. */
  readonly errors: string[];
  /** The URLs that it asked for. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** `prefix` is what is to run Chromium, such as `nsenter` with its arguments. */
export async function openTab(chromium: string, prefix: readonly string[] = []): Promise<Tab> {
  const profile = mkdtempSync(join(tmpdir(), 'nodeagent-chromium-'));
  const [first = chromium, ...rest] = [...prefix, chromium];
  const child = spawn(
    first,
    [
      ...rest,
      '--headless=new',
      '--remote-debugging-pipe',
      '--no-sandbox',
      '--no-first-run',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  );
  const send = connect(child);
  const { targetInfos } = await send<{ targetInfos: { targetId: string; type: string }[] }>('Target.getTargets');
  const page = targetInfos.find(({ type }) => type === 'page');
  const { targetId } = page ?? (await send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' }));
  const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', { targetId, flatten: true });
  const errors: string[] = [];
  const requests: string[] = [];
  // Chromium ends a request when a test beside it adds a network interface to the machine.
  const addUnlessOfMachine = (text: string) => void (text.includes('net::ERR_NETWORK_CHANGED') || errors.push(text));
  send.onEvent = (method, params) => {
    if (method === 'Network.requestWillBeSent') requests.push((params.request as { url: string }).url);
    if (method === 'Runtime.exceptionThrown') errors.push(JSON.stringify(params.exceptionDetails));
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') errors.push(JSON.stringify(params.args));
    if (method === 'Log.entryAdded') addUnlessOfMachine((params.entry as { text: string }).text);
    if (method === 'Network.loadingFailed' && params.canceled !== true) addUnlessOfMachine(`${params.errorText}`);
  };
  const call = <T = Json>(method: string, params: Json = {}) => send<T>(method, params, sessionId);
  await call('Performance.enable', { timeDomain: 'threadTicks' });
  for (const domain of ['Page', 'Runtime', 'Network', 'Log', 'Accessibility']) await call(`${domain}.enable`);
  return {
    call,
    errors,
    requests,
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = await call<{
        result: { value: T };
        exceptionDetails?: { exception?: { description?: string } };
      }>('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'the page threw');
      return result.value;
    },
    async press(key, held = []) {
      const codes: Record<string, number> = { Backspace: 8, Tab: 9, Enter: 13, ' ': 32, Escape: 27 };
      const text = held.includes('Ctrl') ? undefined : key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
      const modifiers = (held.includes('Ctrl') ? 2 : 0) + (held.includes('Shift') ? 8 : 0);
      const virtualKey = codes[key] ?? key.toUpperCase().charCodeAt(0);
      const common = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: virtualKey, modifiers };
      await call('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...common, ...(text && { text }) });
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
    },
    async cpuSeconds() {
      const { processInfo } = await send<{ processInfo: { cpuTime: number }[] }>('SystemInfo.getProcessInfo');
      return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
    },
    async pageThreadSeconds() {
      const { metrics } = await call<{ metrics: { name: string; value: number }[] }>('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await send('Browser.close').catch(() => child.kill('SIGKILL'));
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

interface Connection {
  <T = Json>(method: string, params?: Json, sessionId?: string): Promise<T>;
  onEvent?: (method: string, params: Json) => void;
}

/** The protocol over file descriptors 3 and 4: JSON texts, each ended by a zero byte. */
function connect(child: ChildProcess): Connection {
  const toBrowser = child.stdio[3] as Writable;
  const fromBrowser = child.stdio[4] as Readable;
  const waiting = new Map<number, { resolve(result: never): void; reject(error: Error): void }>();
  let lastId = 0;
  let rest = '';
  const send: Connection = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      toBrowser.write(`${JSON.stringify({ id: lastId, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  toBrowser.on('error', () => {});
  fromBrowser.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) {
      const { id, method, params, result, error } = JSON.parse(message);
      if (id === undefined) send.onEvent?.(method, params);
      else if (error) waiting.get(id)?.reject(new Error(error.message));
      else waiting.get(id)?.resolve(result as never);
      waiting.delete(id);
    }
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser ended'));
  });
  return send;
}
