import type { Program, ProgramContext } from '@nodeagent/memory-runtime';
import type { TestCluster } from '@nodeagent/test-cluster';
import { runInShell } from '../shell/shell.js';
import { discoverIssuer } from './discover-issuer.js';
import { flag } from './flags.js';
import { guestbook } from './guestbook.js';
import { generateLogs } from './log-lines.js';
import { consumerController, resourceConsumer } from './resource-consumer.js';

const registry = 'registry.k8s.io/e2e-test-images';

const pause: Program = async ({ stdout, sleep, signal }) => {
  stdout('Paused');
  await sleep(Number.POSITIVE_INFINITY, signal);
};

const serveHostname: Program = async ({ argv, listen, hostname, sleep, signal }) => {
  listen(Number(flag(argv, 'port', '9376')), () => hostname);
  await sleep(Number.POSITIVE_INFINITY, signal);
};

/** Serves the files of the container. */
const serveFiles: Program = async ({ argv, files, listen, sleep, signal }) => {
  listen(Number(flag(argv, 'port', '80')), ({ path }) => (files.exists(path) ? files.readText(path) : { status: 404 }));
  await sleep(Number.POSITIVE_INFINITY, signal);
};

const readMounts: Program = ({ argv, files, stdout }) => {
  const path = flag(argv, 'file_content', '');
  stdout(`content of file "${path}": ${files.readText(path)}`);
};

/** A server of one page. */
const page =
  (pagePath: string, content: string): Program =>
  async ({ listen, sleep, signal }) => {
    listen(80, ({ path }) => (path === pagePath ? content : { status: 404 }));
    await sleep(Number.POSITIVE_INFINITY, signal);
  };

/** Subcommands of agnhost, the image of most specs. */
const agnhost: Readonly<Record<string, Program>> = {
  pause,
  guestbook,
  'resource-consumer-controller': consumerController,
  mounttest: readMounts,
  'logs-generator': generateLogs,
  'serve-hostname': serveHostname,
  'test-service-account-issuer-discovery': discoverIssuer,
  'test-webserver': serveFiles,
};

/** A program that runs its command by the programs of the image or as a shell does, and the same commands for `exec`. */
const withShell =
  (programs: Readonly<Record<string, Program>>): Program =>
  async (context) => {
    const run = (command: Parameters<typeof runInShell>[0]) =>
      runInShell(command, {
        ...context,
        random: Math.random,
        programs: ({ argv }) => {
          const program = /^\/?agnhost$/.test(argv[0] ?? '') ? programs[argv[1] ?? ''] : undefined;
          return program && runProgram(program, context, argv);
        },
      });
    for (const shell of ['sh', '/bin/sh']) context.onExec(shell, async (command) => run({ ...command, stdin: '' }));
    const { argv, stdout, stderr } = context;
    const running = run({ argv, stdin: '', stdout, stderr });
    if (running) return running;
    stderr(`exec: ${JSON.stringify(argv[0])}: executable file not found in $PATH`);
    return 127;
  };

const runProgram = async (program: Program, context: ProgramContext, argv: readonly string[]): Promise<number> =>
  (await program({ ...context, argv })) ?? 0;

const runAgnhost: Program = (context) => {
  context.files.write('/localhost.crt', 'certificate\n');
  return withShell(agnhost)(context);
};

/**
 * Gives the images of Kubernetes' conformance specs stand-ins: what the specs of `[sig-apps]`, `[sig-auth]` and `[sig-cli]` need of them, in
 * JavaScript and in the cluster's time; one image fails to pull. Nothing of an image runs on the machine.
 */
export function setup(cluster: TestCluster): void {
  for (const tag of ['2.55', '2.63.0']) {
    cluster.image(`${registry}/agnhost:${tag}`, runAgnhost, { entrypoint: ['/agnhost'], cmd: ['pause'] });
  }
  cluster.image(`${registry}/busybox:1.37.0-1`, withShell({}), { cmd: ['sh'] });
  cluster.image(`${registry}/resource-consumer:1.14`, resourceConsumer, { entrypoint: ['/consumer'] });
  cluster.scriptImage('foo:non-existent', { pullError: 'pull access denied, repository does not exist' });
  cluster.image(`${registry}/nautilus:1.8`, page('/data.json', '{"image":"nautilus.jpg"}'));
  for (const tag of ['1.15-4', '1.27-0']) cluster.image(`${registry}/nginx:${tag}`, page('/', 'Welcome'));
}
