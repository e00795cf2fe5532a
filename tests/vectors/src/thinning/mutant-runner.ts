import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A request to the process; paths are of vector files, cases are indices of their lines. */
export type Request =
  | { kind: 'reach'; path: string }
  | { kind: 'kill'; path: string; mutant: string; cases: readonly number[]; enough: number };

interface Answers {
  reach: {
    /** Mutants that each case reaches, by their ids. */
    reached: string[][];
    /** Mutants in code that runs when the modules are loaded. */
    atLoad: string[];
    /** Cases whose output differs without a mutant. */
    differing: string[];
  };
  kill: {
    /** The cases whose output differs with the mutant. */
    killers: number[];
    /** Whether the mutant made the last killer hang or the process exit. */
    hung?: boolean;
  };
}
export type Answer<K extends Request['kind'] = Request['kind']> = Answers[K];

export interface MutantRunner {
  /** Replays all cases of a file without a mutant. */
  reach(path: string): Promise<Answers['reach']>;
  /** Replays the cases in turn with one mutant until the output of `enough` of them differs. */
  kill(path: string, mutant: string, cases: readonly number[], enough: number): Promise<Answers['kill']>;
  stop(): void;
}

/** Runs mutants in a separate process, which it replaces when a mutant hangs or breaks it. */
export function createMutantRunner(code: string): MutantRunner {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nodeagent-mutants-')));
  const bundle = join(folder, 'bundle.cjs');
  const position = join(folder, 'position');
  const scratch = join(folder, 'scratch');
  mkdirSync(scratch);
  writeFileSync(bundle, code);
  writeFileSync(position, '');
  let child: ChildProcess | undefined;

  const readPosition = () => Number.parseInt(readFileSync(position, 'utf8'), 10) || 0;

  function start(): ChildProcess {
    const started = fork(fileURLToPath(new URL('./mutant-process.ts', import.meta.url)), [bundle, scratch, position], {
      env: { ...process.env, TMPDIR: scratch },
      execArgv: ['--import', 'tsx'],
    });
    started.once('exit', () => {
      if (child === started) child = undefined;
    });
    return started;
  }

  /** The response, or undefined if the process exited before. */
  function ask<K extends Request['kind']>(request: Extract<Request, { kind: K }>): Promise<Answer<K> | undefined> {
    child ??= start();
    const asked = child;
    return new Promise((resolve) => {
      const finish = (answer?: Answer<K>) => {
        asked.off('message', finish);
        asked.off('exit', ended);
        resolve(answer);
      };
      const ended = () => finish();
      asked.once('message', finish);
      asked.once('exit', ended);
      asked.send(request);
    });
  }

  return {
    async reach(path) {
      const answer = await ask<'reach'>({ kind: 'reach', path });
      if (answer === undefined) throw new Error(`the process that replays ${path} exited; replay it with npm run conformance`);
      return answer;
    },
    async kill(path, mutant, cases, enough) {
      const answer = await ask<'kill'>({ kind: 'kill', path, mutant, cases, enough });
      return answer ?? { killers: cases.slice(readPosition(), readPosition() + 1), hung: true };
    },
    stop() {
      child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
