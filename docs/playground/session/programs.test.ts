import { afterEach, expect, it } from 'vitest';
import { checkManifests } from './check-manifests.js';
import { Session } from './session.js';

const image = (program: string) => `apiVersion: playground/v1
kind: Image
metadata: { name: "shop:1" }
program: |
  ${program.replaceAll('\n', '\n  ')}
`;
const pod = `---
apiVersion: v1
kind: Pod
metadata: { name: shop }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: "shop:1" }]
`;

let session: Session;
afterEach(() => session?.stop());

it('runs the program of an image in virtual time, and reports that it runs', async () => {
  const ran: string[] = [];
  const manifests = image('async ({ sleep, stdout }) => { stdout("open"); await sleep(60000); return 3; }') + pod;
  session = await Session.create({
    state: { manifests, seed: 1, nodes: 1, periods: 'kubelet', actions: [] },
    onProgram: (name) => ran.push(name),
  });
  await session.advanceTo(30_000);
  expect(session.read().pods).toMatchObject([{ status: 'Running' }]);
  expect(ran).toEqual(['shop:1']);
  await session.advanceTo(90_000);
  expect(session.read().pods).toMatchObject([{ status: 'Error', level: 'bad' }]);
  expect(ran).toEqual(['shop:1', 'shop:1']);
});

it('reports a program that cannot be compiled, or is none, at its line', async () => {
  const linesOf = async (text: string) => (await checkManifests(text)).map(({ line, message }) => `${line}: ${message}`);
  expect(await linesOf(image('async () => 0') + pod)).toEqual([]);
  expect(await linesOf(image('async ( => 0'))).toEqual([expect.stringMatching(/^4: program: /)]);
  expect(await linesOf(image('42'))).toEqual([expect.stringMatching(/^4: program: must be a function/)]);
  expect(await linesOf('apiVersion: playground/v1\nkind: Image\n')).toEqual([
    expect.stringMatching(/metadata.name: must be the name of an image/),
  ]);
});
