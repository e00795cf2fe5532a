import { NodeAgentError } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { listenForInterrupts } from '../../interrupts.js';
import { type ListModel, sortByHealth, sortByName } from '../list/list-model.js';
import { podColumnsLayout } from '../table.js';
import { type ListSessionOptions, openListSession } from './list-session.js';
import { createTestTerminal } from './test-terminal.js';

const row = (name: string, health: 'good' | 'bad') => ({
  key: name,
  cells: { name, ready: '1/1', status: health === 'good' ? 'Running' : 'Error', restarts: '0', age: '1s', lastEvent: '-' },
  health,
  numbers: {},
  explain: () => `why ${name}`,
  ...(name.includes('/') && { pod: { namespace: 'default', name: name.slice('default/'.length) } }),
});
const model = (...rows: ListModel['rows']): ListModel => ({
  kind: { layout: podColumnsLayout, sorts: [sortByHealth, sortByName] },
  title: 'node n1',
  header: [],
  rows,
  notes: [],
});
const three = model(row('default/a', 'good'), row('default/b', 'bad'), row('typo.yaml', 'bad'));

function open(run: ListSessionOptions['run'] = async () => 0) {
  const clock = createVirtualClock();
  const terminal = createTestTerminal(60, 12);
  const quits: string[] = [];
  const session = openListSession({ console: terminal.console, clock, run, onQuit: (by) => quits.push(by) });
  session.update(three);
  return { ...terminal, clock, session, quits };
}

describe('the list on a terminal', () => {
  it('shows the rows, follows the keys, and restores the terminal', async () => {
    const { lines, type, session, modes, exitListeners, stdout, clock } = open();
    expect(modes).toEqual([true]);
    expect(lines().filter((line) => /default|typo/.test(line))).toEqual([
      expect.stringMatching(/^> default\/b /),
      expect.stringMatching(/^ {2}typo\.yaml /),
      expect.stringMatching(/^ {2}default\/a /),
      'why default/b',
    ]);
    await type('\x1b[B');
    expect(lines().at(-2)).toBe('why typo.yaml');
    await type('s');
    expect(lines()[3]).toMatch(/^ {2}default\/a /);
    session.close();
    session.close();
    expect(modes).toEqual([true, false]);
    expect(stdout.writes.at(-1)).toBe('\x1b[?7h\x1b[?25h\x1b[?1049l');
    expect(exitListeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('restores the terminal when the process exits', () => {
    const { exitListeners, modes, stdout } = open();
    for (const listener of [...exitListeners]) listener();
    expect(modes.at(-1)).toBe(false);
    expect(stdout.writes.at(-1)).toContain('\x1b[?1049l');
  });

  it('survives the end of its terminal', () => {
    const { console, session } = open();
    console.stdin.emit('error', new Error('read EIO'));
    session.close();
    console.stdin.emit('error', new Error('setRawMode EIO'));
  });

  it('fits a changed size', async () => {
    const { lines, stdout, session } = open();
    stdout.resize(30, 6);
    expect(lines()).toHaveLength(6);
    for (const line of lines()) expect(line.length).toBeLessThanOrEqual(30);
    expect(lines().at(-1)).toBe('q quit  ? help  Enter describe');
    session.close();
  });

  it('takes Esc as a key if no sequence follows', async () => {
    const { lines, type, clock, session } = open();
    await type('/typo\r');
    expect(lines()[1]).toContain('filter "typo"');
    await type('\x1b');
    expect(lines()[1]).toContain('filter "typo"');
    await clock.advance(50);
    expect(lines()[1]).toBe('');
    session.close();
  });

  it('asks the command to end for q and for Ctrl-C', async () => {
    const { type, quits, session } = open();
    await type('q\x03');
    expect(quits).toEqual(['q', 'interrupt']);
    session.close();
  });
});

describe('a key about the selected row', () => {
  it('describes it in a pane', async () => {
    const { lines, type, clock, session } = open(async (command, { key }, { stdout }) => {
      stdout.write(`${command} of ${key}\nsecond `);
      stdout.write('line');
      return 0;
    });
    await type('\r');
    await clock.advance(50);
    expect(lines().slice(0, 3)).toEqual(['describe default/b', 'describe of default/b', 'second line']);
    await type('q');
    expect(lines()[0]).toBe('node n1');
    session.close();
  });

  it('follows its log until the pane is closed', async () => {
    let hasEnded = false;
    const { lines, type, clock, session, quits } = open(async (_, __, console) => {
      const end = listenForInterrupts(console, clock.monotonic);
      for (let line = 0; !end.first.aborted; line++) {
        console.stdout.write(`line ${line}\n`);
        await clock.sleep(1_000, end.first).catch(() => {});
      }
      end.stopListening();
      hasEnded = true;
      return 0;
    });
    await type('l');
    await clock.advance(20_000);
    expect(lines().slice(-3, -1)).toEqual(['line 18', 'line 19']);
    expect(hasEnded).toBe(false);
    await type('q');
    expect(hasEnded).toBe(true);
    expect(quits).toEqual([]);
    session.close();
    expect(clock.pending).toBe(0);
  });

  it('shows the error of a command with its hint', async () => {
    const { lines, type, clock, session } = open(async () => {
      throw new NodeAgentError('NO_LOG', 'no log', { hint: 'wait' });
    });
    await type('l');
    await clock.advance(50);
    expect(lines().slice(1, 3)).toEqual(['error: no log', '  wait']);
    session.close();
  });

  it('shows why a manifest was rejected', async () => {
    const { lines, type, clock, session } = open();
    await type('\x1b[B\r');
    await clock.advance(50);
    expect(lines().slice(0, 2)).toEqual(['describe typo.yaml', 'why typo.yaml']);
    session.close();
  });

  it('lends the terminal to a shell, and takes it back', async () => {
    const typed: string[] = [];
    let exit = () => {};
    const { lines, type, stdout, modes, session, quits } = open((_, __, { stdin }) => {
      stdin.setRawMode?.(true);
      stdin.on('data', (data) => typed.push(String(data)));
      return new Promise((resolve) => {
        exit = () => {
          stdin.setRawMode?.(false);
          stdin.destroy();
          resolve(3);
        };
      });
    });
    await type('e');
    expect(stdout.writes.at(-1)).toBe('\x1b[?7h\x1b[?25h\x1b[?1049l');
    await type('ls q\x03');
    session.update(three);
    expect(typed.join('')).toBe('ls q\x03');
    expect(quits).toEqual([]);
    expect(stdout.writes.at(-1)).toContain('1049l');
    exit();
    await type('');
    expect(lines()[0]).toBe('node n1');
    expect(lines().at(-2)).toBe('exit code 3 of the shell in default/b');
    expect(modes.at(-1)).toBe(true);
    await type('q');
    expect(quits).toEqual(['q']);
    session.close();
  });
});
