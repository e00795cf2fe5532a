import type { Container, Pod } from '@nodeagent/api';
import { describe, expect, it, vi } from 'vitest';
import { runAgent } from './command.js';

/** Clears a screen, sets a title and a colour, by C0 and by C1 codes; reverses the direction of writing; hides characters. */
const hostile = '\x1b[2J\x1b]0;title\x07\x9b31m\u202eesrever\u2066\u200bhidden\u{e0041}\u2028line\rback\b\x7f';
/** What no command itself prints. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the attack
const effect = /\x1b\[2J|\x1b\]|[\x07\b\x7f-\x9f]|line\r|[\u2028\u2029]|\p{Bidi_Control}|\p{Default_Ignorable_Code_Point}/u;
const shell = (script: string) => ['sh', '-c', script];
const octal = Array.from(Buffer.from(hostile), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

function podOf(name: string, container: Partial<Container>, more: Partial<Pod['spec'] & object> = {}): Pod {
  return {
    metadata: { name, annotations: { note: hostile } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'host', ...container }], ...more },
  };
}

const pods = [
  podOf(
    'ends',
    { command: shell(`printf '${octal}\\n'; exit 3`), terminationMessagePolicy: 'FallbackToLogsOnError' },
    { restartPolicy: 'Never' },
  ),
  podOf('probed', {
    command: ['sleep', '100'],
    env: [{ name: 'TEXT', value: hostile }],
    readinessProbe: { exec: { command: shell(`printf '${octal}'; exit 1`) }, periodSeconds: 1 },
  }),
  podOf('fails', { command: [hostile] }),
  podOf(
    'keys',
    { command: ['sleep', '100'] },
    {
      volumes: [
        { name: 'v', downwardAPI: { items: [{ path: `a${hostile.replaceAll('/', '')}`, fieldRef: { fieldPath: 'metadata.name' } }] } },
      ],
    },
  ),
];

describe('text of containers and manifests does not control the terminal (CVE-2021-25743)', () => {
  it.each([false, true])('of nodeagent run, pods, describe, events and top (on a terminal: %s)', async (isTTY) => {
    const agent = await runAgent(pods, { isTTY });
    const call = isTTY ? agent.callOnTerminal : agent.call;
    const settled = /probe failed[\s\S]*/;
    await vi.waitFor(async () => {
      expect((await agent.call('describe', 'probed')).stdout).toMatch(settled);
      expect((await agent.call('describe', 'ends')).stdout).toContain('Terminated');
      expect((await agent.call('describe', 'fails')).stdout).toMatch(/RunContainerError|CrashLoopBackOff/);
    }, 100_000);
    const commands: [string, ...string[]][] = [
      ['pods'],
      ['events'],
      ['describe', 'node'],
      ['top', '--output', 'json'],
      ...['ends', 'probed', 'fails', 'keys'].map((name): [string, string] => ['describe', name]),
    ];
    const forms = commands.flatMap((command): typeof commands =>
      command.includes('json') ? [command] : [command, [...command, '--output', 'json']],
    );
    const found: unknown[] = [];
    for (const command of forms) {
      const { code, stdout, stderr } = await call(...command);
      const [control] = effect.exec(stdout + stderr) ?? [];
      if (code !== 0 || control !== undefined) found.push({ command, code, control });
    }
    const [control] = effect.exec(agent.printed()) ?? [];
    if (control !== undefined) found.push({ command: 'run', control });
    expect(found).toEqual([]);
  });
});
