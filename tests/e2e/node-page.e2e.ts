import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { openTab, provideChromium, type Tab } from '../support/chromium.js';
import { createNetworkNamespace, type NetworkNamespace } from '../support/network-namespace.js';
import { until } from '../support/until.js';

const chromium = provideChromium();
const untilSignal = 'trap "exit 0" TERM; sleep infinity & wait $!';
/** Roles of controls and values: each needs an accessible name. */
const namedRoles = ['button', 'checkbox', 'combobox', 'searchbox', 'textbox', 'link', 'meter', 'table', 'region'];

/** A pod whose readiness probe fails, with names that are long. */
const unreadyPod = `apiVersion: v1
kind: Pod
metadata:
  name: unready-payments-worker-with-a-long-name
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: settlement-calculation
      image: host:1
      command: [sh, -c, '${untilSignal.replaceAll("'", "''")}']
      readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 }
      livenessProbe: { exec: { command: ['true'] } }
`;

/** In the page: words of ordinary length (hashes are none) that are broken across lines, where they can be seen. */
const brokenWords = `(() => {
  const broken = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.parentElement.checkVisibility() || node.parentElement.closest('.hidden, .skip, select')) continue;
    for (const word of node.data.matchAll(/(?<![\\p{L}\\p{N}])\\p{L}{2,20}(?![\\p{L}\\p{N}])/gu)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word[0]);
    }
  }
  return broken;
})()`;

interface AxNode {
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
}

const port = 10250;
const origin = `https://127.0.0.1:${port}`;

/** Whether someone listens on the port in the process's network: `local_address` is in hexadecimal, 0A the state LISTEN (proc(5)). */
const isOpen = (pid: number) =>
  new RegExp(`:${port.toString(16).padStart(4, '0')} [^ ]+ 0A `, 'i').test(readFileSync(`/proc/${pid}/net/tcp`, 'utf8'));

if (chromium === undefined) console.log('skipped: the node page in a browser, because Chromium is not installed');

describe.skipIf(chromium === undefined)('the node page in a browser', () => {
  let work: Workspace;
  let agent: AgentProcess;
  let network: NetworkNamespace;
  let tab: Tab;

  beforeAll(async () => {
    network = createNetworkNamespace();
    tab = await openTab(chromium ?? '', network.prefix);
    // The agent's certificate is self-signed.
    await tab.call('Security.setIgnoreCertificateErrors', { ignore: true });
  });
  afterAll(async () => {
    await tab?.close();
    network.remove();
  });
  beforeEach(async () => {
    work = createWorkspace();
    work.write('steady.yaml', shellPod('steady', untilSignal));
    work.write('crashing.yaml', shellPod('crashing', 'exit 3'));
    const flags = ['--ui', '--port', `${port}`, '--address', '127.0.0.1', '--anonymous-auth', 'true'];
    agent = startAgent([...work.flags, ...flags], { prefix: network.prefix });
    await until('the server', async () => isOpen(agent.pid));
    // The page of the previous agent, which was killed, reports that it lost its connection.
    await tab.call('Page.navigate', { url: 'about:blank' });
    tab.errors.length = 0;
    await tab.call('Page.navigate', { url: `${origin}/ui/` });
  });
  afterEach(async () => {
    await agent.end('SIGKILL');
    work.remove();
  });

  const inPage = <T>(expression: string) => tab.evaluate<T>(expression);
  const textOf = (selector: string) => inPage<string>(`document.querySelector('${selector}')?.innerText ?? ''`);
  /** The rows as `name status`, in their order. */
  const rows = () =>
    inPage<string[]>(
      `[...document.querySelectorAll('tr.pod')].map((row) => row.querySelector('.name').textContent + ' ' + row.querySelector('.chip').textContent)`,
    );
  const focused = () => inPage<string>(`document.activeElement.id || document.activeElement.innerText || document.activeElement.name`);
  /** The entries of all episodes, which it unfolds, as `pod text`. */
  const entries = () =>
    inPage<string[]>(`(() => {
      document.querySelectorAll('.head[aria-expanded=false]').forEach((head) => head.click());
      return [...document.querySelectorAll('.episode')].flatMap((episode) =>
        [...episode.querySelectorAll('.what')].map((what) => episode.querySelector('.pod').textContent + ' ' + what.textContent));
    })()`);
  const type = async (text: string) => {
    for (const key of text) await tab.press(key);
  };

  it('opens a shell in a container, and shows how it ended', async () => {
    await until('the pod', async () => (await rows()).includes('steady-e2e Running'));
    await inPage(`[...document.querySelectorAll('.toggle')].find((each) => each.innerText.includes('steady-e2e')).click()`);
    await until('the button', async () => (await textOf('[aria-label=Terminals]')) === 'Terminal of main');
    await inPage(`document.querySelector('[aria-label=Terminals] button').click()`);
    await until('the shell', async () => (await textOf('.terminal [role=status]')) === 'connected');
    // What is typed earlier is echoed before the prompt.
    await until('the prompt', async () => /[#$]\s*$/.test(await textOf('.output')));
    const enter = async (line: string) => {
      await type(line);
      await tab.press('Enter');
    };
    await enter('stty size; tty');
    await until('its answer', async () => /\n\d+ \d+\n\/dev\/pts\/\d+\n/.test(await textOf('.output')));
    await enter('exit 7');
    await until('its end', async () => (await textOf('.terminal [role=status]')) === 'exited with 7');
    expect(tab.errors).toEqual([]);
  });

  it('shows what is wrong first, follows what happens, and can be worked by keyboard alone', async () => {
    await until('both pods', async () => `${await rows()}` === 'crashing-e2e CrashLoopBackOff,steady-e2e Running');
    expect(await textOf('#verdict')).toBe('1 pod needs attention: crashing-e2e');
    await until('the page to follow', async () => (await textOf('#connection')) === 'live');
    expect(await textOf('tr.pod .why')).toMatch(/^main: .*exited with 3 \(Error\)/);
    for (const what of [/crashing-e2e sync: .*start main \(/, /crashing-e2e Error: container main exited with 3 \(Error\)/]) {
      await until(`${what} in the time line`, async () => what.test((await entries()).join('\n')));
    }

    // What changes comes by itself.
    work.write('late.yaml', shellPod('late', untilSignal));
    await until('the new pod', async () => (await rows()).includes('late-e2e Running'));
    work.delete('late.yaml');
    await until('its end', async () => !(await rows()).some((row) => row.startsWith('late-e2e')));

    // By keyboard: over the skip link to the pods, the filter, the row, and from there to what happened to it.
    await tab.press('Tab');
    expect(await focused()).toBe('Skip to the pods');
    await tab.press('Enter');
    await tab.press('Tab');
    expect(await focused()).toBe('pods-filter');
    await type('stea');
    expect(await rows()).toEqual(['steady-e2e Running']);
    expect(await textOf('#pods-count')).toBe('1 of 2');
    await tab.press('Tab');
    await tab.press('Tab');
    expect(await focused()).toContain('steady-e2e');
    await tab.press('Enter');
    expect(await inPage(`document.activeElement.getAttribute('aria-expanded')`)).toBe('true');
    expect(await textOf('tr.details')).toMatch(/Last change[\s\S]*start main[\s\S]*running/);
    await tab.press('Tab');
    await tab.press(' ');
    expect(await focused()).toBe('timeline-search');
    expect((await entries()).every((entry) => entry.startsWith('steady-e2e'))).toBe(true);
    await tab.press('Tab');
    await tab.press(' ');
    expect(await textOf('#timeline-none')).toBe('Nothing matches.');
    expect(await inPage('location.hash')).toBe('#filter=stea&pod=default/steady-e2e&entries=default/steady-e2e&show=problems');

    // For a screen reader: all that is worked with or read has a name.
    await until('the pressure', async () => (await inPage<number>(`document.querySelectorAll('[role=meter]').length`)) > 0);
    await inPage(`document.querySelector('#node').open = true`);
    const { nodes } = await tab.call<{ nodes: AxNode[] }>('Accessibility.getFullAXTree');
    const seen = nodes.filter(({ ignored }) => !ignored);
    const nameless = seen.filter(({ role, name }) => namedRoles.includes(role?.value ?? '') && !name?.value);
    expect(nameless).toEqual([]);
    for (const role of ['banner', 'main', 'heading', 'meter', 'table', 'rowheader', 'status']) {
      expect(
        seen.some((node) => node.role?.value === role),
        role,
      ).toBe(true);
    }

    // Nothing went wrong on the way, nothing came from elsewhere, and all of it is small.
    expect(tab.errors).toEqual([]);
    expect(tab.requests.filter((url) => !url.startsWith(`${origin}/ui/`))).toEqual([]);
    const sizes = await inPage<number[]>(
      `Promise.all(performance.getEntriesByType('resource').filter(({ name }) => !/state$|events/.test(name)).concat([{ name: location.href }]).map(({ name }) => fetch(name).then((answer) => answer.blob()).then(({ size }) => size)))`,
    );
    expect(sizes.length).toBeGreaterThan(6);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);

    // The agent exits despite a watching browser, and the page shows it.
    expect(await agent.end('SIGINT')).toBe(0);
    await until('the page to notice', async () => (await textOf('#connection')).startsWith('not connected'));
  });

  it('has no blank space below its content, breaks no word, and counts an unready pod', async () => {
    for (let number = 0; number < 6; number++) work.write(`more-${number}.yaml`, shellPod(`more-${number}`, 'exit 3'));
    work.write('unready.yaml', unreadyPod);
    await until('a readiness probe that fails', async () => (await textOf('tr.pod[data-level=warn] .why')).includes('readiness probe'));
    expect((await rows()).find((row) => row.startsWith('unready'))).toBe('unready-payments-worker-with-a-long-name-e2e Running');
    await until('crashes', async () => (await entries()).filter((entry) => entry.includes('Error: ')).length > 6);
    await until('the verdict', async () => /pods need attention: .*; 1 pod is unstable$/.test(await textOf('#verdict')));
    await inPage(`document.querySelectorAll('tr.pod .toggle').forEach((toggle) => toggle.click())`);
    await inPage(`document.querySelector('#node').open = true`);
    await until('details', async () => (await inPage<number>(`document.querySelectorAll('.containers').length`)) > 7);
    for (const width of [1440, 1100, 800, 400, 320]) {
      await tab.call('Emulation.setDeviceMetricsOverride', { width, height: 500, deviceScaleFactor: 1, mobile: false });
      const [tall, shown, wide, room] = await inPage<[number, number, number, number]>(
        `[document.documentElement.scrollHeight, document.querySelector('main').getBoundingClientRect().bottom + scrollY, document.documentElement.scrollWidth, document.documentElement.clientWidth]`,
      );
      expect(tall - shown, `blank space below the page at ${width}`).toBeLessThan(40);
      expect(wide, `sideways at ${width}`).toBe(room);
      expect(await inPage<string[]>(brokenWords), `at ${width}`).toEqual([]);
    }
    await tab.call('Emulation.clearDeviceMetricsOverride');
  });
});
