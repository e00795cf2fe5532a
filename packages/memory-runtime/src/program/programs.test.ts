import { describe, expect, it } from 'vitest';
import { named, setUp } from '../memory-runtime.fixture.js';
import type { Program, ProgramSignal } from './program.js';

/** A running container of the program, with its state in CRI. */
async function running(program: Program, config: Parameters<ReturnType<typeof setUp>['create']>[1] = {}) {
  const node = setUp();
  node.memory.programImage('busybox:1', program);
  const sandbox = await node.run('p');
  const id = await node.start(sandbox, config);
  await node.clock.settle();
  const exec = async (...cmd: string[]) => {
    const result = node.runtime.execSync({ containerId: id, cmd, timeout: 5n }).catch((error) => error);
    await node.clock.advance(10_000);
    const { exitCode, stdout, stderr, code, message } = await result;
    const decoder = new TextDecoder();
    return exitCode === undefined ? { code, message } : { exitCode, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  };
  const stop = async (graceSeconds: number) => {
    const startedAt = node.clock.monotonic();
    await node.clock.run(node.runtime.stopContainer({ containerId: id, timeout: BigInt(graceSeconds) }));
    const { exitCode, reason } = await node.status(id);
    return { exitCode, reason, ms: node.clock.monotonic() - startedAt };
  };
  return { ...node, sandbox, id, exec, stop, logs: () => node.memory.logs(id), state: () => node.status(id) };
}

const never = () => new Promise<undefined>(() => {});

describe('an exit code', () => {
  const cases: [what: string, program: Program, code: number, reason: string, log: RegExp][] = [
    ['of nothing is 0', () => {}, 0, 'Completed', /^$/],
    ['is what the program returns', async () => 3, 3, 'Error', /^$/],
    ['has eight bits', () => 256 + 7, 7, 'Error', /^$/],
    [
      'of an error is 1, with the stack in the log',
      () => {
        throw new Error('no database');
      },
      1,
      'Error',
      /^Uncaught Error: no database\n {4}at /,
    ],
    ['of a rejection is 1', () => Promise.reject('no reason'), 1, 'Error', /^Uncaught no reason$/],
    [
      'of an error in a timer is 1',
      ({ setTimeout }) => {
        setTimeout(() => {
          throw new RangeError('late');
        }, 5_000);
        return never();
      },
      1,
      'Error',
      /^Uncaught RangeError: late/,
    ],
    [
      'of more memory than the limit is 137',
      async ({ use, sleep }) => {
        use({ memoryBytes: 100 });
        await sleep(1_000);
        use({ memoryBytes: 101 });
        return 0;
      },
      137,
      'OOMKilled',
      /^$/,
    ],
  ];
  it.each(cases)('%s', async (_, program, exitCode, reason, log) => {
    const { clock, state, logs } = await running(program, { linux: { resources: { memoryLimitInBytes: 100n } } });
    await clock.advance(10_000);
    expect(await state()).toMatchObject({ exitCode, reason, state: 'CONTAINER_EXITED' });
    expect(logs().join('\n')).toMatch(log);
    expect(clock.pending).toBe(0);
  });
});

describe('the stop signal', () => {
  const cases: [what: string, program: Program, expected: { exitCode: number; ms: number }][] = [
    ['does not end a program that ignores it: SIGKILL does', never, { exitCode: 137, ms: 10_000 }],
    ['ends a sleep that takes it', ({ sleep, signal }) => sleep(1e9, signal), { exitCode: 143, ms: 0 }],
    [
      'lets the program finish',
      async ({ sleep, signal }) => {
        await sleep(1e9, signal).catch(() => sleep(4_000));
        return 0;
      },
      { exitCode: 0, ms: 4_000 },
    ],
    [
      'calls its handler, and has a name',
      ({ onSignal, signal }) =>
        new Promise((resolve) => {
          onSignal('SIGTERM', () => resolve(signal.aborted ? 1 : 42));
        }),
      { exitCode: 42, ms: 0 },
    ],
    [
      'of a handler that throws ends it with 1',
      ({ onSignal }) => {
        onSignal('SIGTERM', () => {
          throw new Error('no');
        });
        return never();
      },
      { exitCode: 1, ms: 0 },
    ],
  ];
  it.each(cases)('%s', async (_, program, expected) => {
    const { stop, clock } = await running(program);
    expect(await stop(10)).toMatchObject(expected);
    expect(clock.pending).toBe(0);
  });

  it('is that of the container, or of the image', async () => {
    const program: Program = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve((signal.reason as ProgramSignal).signal === 'SIGUSR1' ? 10 : 1));
      });
    const { stop, state } = await running(program, { stopSignal: 'SIGUSR1' });
    expect((await state()).stopSignal).toBe('SIGUSR1');
    expect(await stop(10)).toMatchObject({ exitCode: 10 });
    const node = setUp();
    node.memory.programImage('busybox:1', program, { stopSignal: 'SIGUSR1' });
    const containerId = await node.start(await node.run('p'));
    await node.clock.run(node.runtime.stopContainer({ containerId, timeout: 5n }));
    expect(await node.status(containerId)).toMatchObject({ exitCode: 10, stopSignal: 'SIGUSR1' });
  });

  it('has no effect after SIGKILL: the program never continues', async () => {
    const steps: string[] = [];
    const { memory, id, clock, logs } = await running(async ({ sleep, stdout, fetch, listen }) => {
      listen(80);
      void fetch('http://10.88.0.9/').catch(() => steps.push('fetch'));
      await sleep(5_000);
      steps.push('slept');
      stdout('slept');
    });
    memory.kill(id);
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect([steps, logs(), memory.serves('10.88.0.2', 80)]).toEqual([[], [], false]);
  });
});

describe('a command', () => {
  const program: Program = ({ onExec, files, onSignal, stdout, sleep }) => {
    files.write('/tmp/a', 'content');
    onSignal('SIGHUP', () => stdout('reloaded'));
    onExec('migrate', async ({ argv, stdout: out, stderr }) => {
      await sleep(2_000);
      out(argv.slice(1).join('+'));
      stderr('done');
      return 4;
    });
    onExec('broken', () => {
      throw new Error('no table');
    });
    onExec('endless', never);
    return never();
  };
  const cases: [command: string[], expected: object][] = [
    [['migrate', 'a', 'b'], { exitCode: 4, stdout: 'a+b', stderr: 'done' }],
    [['broken'], { exitCode: 1, stderr: expect.stringContaining('no table') }],
    [['endless'], { code: 'CRI_DEADLINE_EXCEEDED' }],
    [['/bin/true'], { exitCode: 0 }],
    [['false'], { exitCode: 1 }],
    [['echo', 'a', 'b'], { stdout: 'a b\n' }],
    [['cat', '/tmp/a'], { stdout: 'content' }],
    [['cat', '/b'], { exitCode: 1, stderr: "cat: ENOENT: no such file or directory, open '/b'\n" }],
    [['ls', '/tmp'], { stdout: 'a\n' }],
    [['test', '-f', '/tmp/a'], { exitCode: 0 }],
    [['test', '-d', '/tmp/a'], { exitCode: 1 }],
    [['sleep', '9'], { code: 'CRI_DEADLINE_EXCEEDED' }],
    [['sh', '-c', 'true'], { code: 'CRI_UNKNOWN', message: expect.stringContaining('exec: "sh": executable file not found in $PATH') }],
    [['constructor'], { code: 'CRI_UNKNOWN' }],
  ];
  it.each(cases)('%j', async (command, expected) => {
    const { exec } = await running(program);
    expect(await exec(...command)).toMatchObject(expected);
  });

  it('ends with its container', async () => {
    const { runtime, memory, id, clock } = await running(program);
    const result = runtime.execSync({ containerId: id, cmd: ['endless'] });
    await clock.settle();
    memory.kill(id);
    expect(await result).toMatchObject({ exitCode: 137 });
  });

  it('sends signals to PID 1', async () => {
    const { exec, logs, state } = await running(program);
    await exec('kill', '-HUP', '1');
    await exec('kill', '-9', '1');
    expect(logs()).toEqual(['reloaded']);
    expect((await state()).state).toBe('CONTAINER_RUNNING');
  });
});

it('gets its command, its environment and its folder as CRI gives them', async () => {
  const seen: unknown[] = [];
  const node = setUp();
  const image = { entrypoint: ['shop'], cmd: ['serve'], env: { MODE: 'slow', LEVEL: '1' }, workingDir: '/srv' };
  node.memory.programImage(
    'busybox:1',
    ({ argv, env, cwd, hostname, addresses }) => void seen.push({ argv, env, cwd, hostname, addresses }),
    image,
  );
  const sandbox = await node.run('p');
  const envs = [{ key: 'MODE', value: new TextEncoder().encode('fast') }];
  for (const [attempt, config] of [{ envs }, { args: ['test'] }, { command: ['sh'], workingDir: '/' }].entries()) {
    await node.start(sandbox, { ...config, metadata: { name: 'main', attempt } });
  }
  await node.clock.settle();
  const env = { MODE: 'slow', LEVEL: '1', HOSTNAME: 'p' };
  const common = { env, cwd: '/srv', hostname: 'p', addresses: ['10.88.0.2'] };
  expect(seen).toEqual([
    { ...common, argv: ['shop', 'serve'], env: { ...env, MODE: 'fast' } },
    { ...common, argv: ['shop', 'test'] },
    { ...common, argv: ['sh'], cwd: '/' },
  ]);
});

it('leaves containers to their scripts, images to their programs, and the others to the runtime', async () => {
  const node = setUp({ images: ['busybox:1', 'other:1'], behaviour: ({ attempt }) => ({ exit: { code: 3 + attempt } }) });
  node.memory.programImage('busybox:1', () => 1);
  node.memory.script('scripted', { exit: { code: 2 } });
  const sandbox = await node.run('p');
  const other = { image: { image: 'other:1' } };
  const configs = [named('scripted'), named('program'), { ...named('scripted', 1), ...other }, { ...named('other', 2), ...other }];
  const ids = await Promise.all(configs.map((config) => node.start(sandbox, config)));
  await node.clock.advance(1);
  expect(await Promise.all(ids.map(async (id) => (await node.status(id)).exitCode))).toEqual([2, 1, 2, 5]);
});

it('logs lines with their times', async () => {
  const { memory, id, clock } = await running(async ({ stdout, stderr, sleep }) => {
    stdout('one\ntwo\n');
    await sleep(1_500);
    stderr('three');
    stdout('');
  });
  await clock.advance(2_000);
  expect(memory.logEntries(id)).toEqual([
    { at: 1_000_000, stream: 'stdout', text: 'one' },
    { at: 1_000_000, stream: 'stdout', text: 'two' },
    { at: 1_001_500, stream: 'stderr', text: 'three' },
    { at: 1_001_500, stream: 'stdout', text: '' },
  ]);
});

it('reports its usage', async () => {
  const { memory, clock } = await running(async ({ use, sleep }) => {
    await sleep(10);
    use({ memoryBytes: 5, nanoCores: 7 });
    return never();
  });
  expect(memory.usages()[0]).not.toHaveProperty('memoryBytes');
  await clock.advance(10);
  expect(memory.usages()[0]).toMatchObject({ memoryBytes: 5, nanoCores: 7 });
});
