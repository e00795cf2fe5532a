import { machineNetwork } from '@nodeagent/test-api-server/node';
import { expect, it } from 'vitest';
import { commandController } from './command-controller.js';
import type { Controller } from './controller.js';
import { explore, replay } from './explore.js';
import type { ExploreOptions } from './options.js';

/** A controller that creates a ConfigMap, and then a second one; it gives up if the first one exists. */
const program = `
const { clusters } = JSON.parse(require('node:fs').readFileSync(process.env.KUBECONFIG, 'utf8'));
const create = (name) =>
  fetch(clusters[0].cluster.server + '/api/v1/namespaces/default/configmaps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ metadata: { name } }),
  });
(async () => {
  if ((await create('first')).status === 201) await create('second');
  console.error('done');
  setInterval(() => {}, 1000);
})();`;

const options: ExploreOptions = {
  controller: () => {},
  network: machineNetwork,
  speed: 30,
  duration: '70s',
  cluster: { nodes: 0 },
};

/** Options with a program; the time of a run begins when it has noted `text`, as machines start programs at different speeds. */
function optionsUntil(text: RegExp, start: Controller): ExploreOptions {
  let noted = 0;
  const count = (line: string) => {
    if (text.test(line)) noted++;
  };
  return {
    ...options,
    controller: (context) =>
      start({
        ...context,
        note(line) {
          count(line);
          context.note(line);
        },
        ended(why) {
          count(why);
          context.ended(why);
        },
      }),
    async actions({ advance }) {
      for (const before = noted; noted === before; ) await advance('1s');
    },
  };
}

it('kills a program between two writes, and starts it again', async () => {
  const writing = optionsUntil(/^done$/, commandController(process.execPath, { args: ['-e', program] }));
  const { run, broken } = await replay(() => {}, writing, 'crash@1');
  expect(run.timeline.join('\n')).toMatch(/controller 2: done/);
  expect(broken.map(({ invariant }) => invariant)).toEqual(['ends as the undisturbed run']);
});

it('starts a program again that ends, and reports what it wrote last', async () => {
  const exiting = commandController(process.execPath, { args: ['-e', 'console.error("no flag"); process.exit(3)'] });
  const { run, broken } = await replay(() => {}, { ...optionsUntil(/exited/, exiting), duration: '10s' }, 'undisturbed');
  expect(run.timeline.join('\n')).toMatch(/controller 1 ended: .*exited with 3, after: no flag.*controller 2 starts/s);
  expect(broken[0]?.message).toMatch(/^the controller does not run: .*exited with 3/);
});

it.each([
  ['/no/such/program', [], 'spawn /no/such/program ENOENT: give the path of a program'],
  [process.execPath, ['-e', 'setInterval(() => {}, 1000)'], 'it sends no request: does it use its kubeconfig'],
])('reports why %s %j does not work', async (program, args, why) => {
  const { failure } = await explore(() => {}, { ...options, duration: '10s', controller: commandController(program, { args }) });
  expect(failure?.text).toContain(why);
});
