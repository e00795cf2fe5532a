import { layers } from './layers.js';

/** Calls of the first part: about those that start 60 pods. */
const firstCalls = 600;
const warmCalls = 2000;

const [name = '', socketPath = '', method = '', concurrency = ''] = process.argv.slice(2);
const create = layers[name];
if (create === undefined || (method !== 'version' && method !== 'listContainers')) throw new Error(`no layer ${name} or method ${method}`);
const layer = create(socketPath, method);

/** Microseconds a call, of CPU and in real time. */
async function measure(calls: number): Promise<{ cpu: number; wall: number }> {
  const atOnce = Number(concurrency);
  const started = performance.now();
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i += atOnce) await Promise.all(Array.from({ length: atOnce }, layer.call));
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / calls, wall: ((performance.now() - started) * 1000) / calls };
}

await layer.call();
const first = await measure(firstCalls);
await measure(warmCalls);
const warm = await measure(warmCalls);
process.stdout.write(JSON.stringify({ first, warm }));
layer.close();
