import type { Program, ServerRequest } from '@nodeagent/memory-runtime';
import { flag } from './flags.js';

/** The parameters of a request, in its URL or its body. */
async function parameters(request: ServerRequest): Promise<URLSearchParams> {
  return new URLSearchParams([...request.query, ...new URLSearchParams(await request.text())]);
}

/** Uses CPU and memory for as long as requests ask for it; the specs of autoscalers read it as usage. */
export const resourceConsumer: Program = async ({ argv, listen, use, setTimeout, sleep, signal }) => {
  const used = { nanoCores: 0, memoryBytes: 0 };
  const add = (amount: Partial<typeof used>, sign: 1 | -1) => {
    used.nanoCores += sign * (amount.nanoCores ?? 0);
    used.memoryBytes += sign * (amount.memoryBytes ?? 0);
    use({ ...used });
  };
  const port = argv.find((word) => word.startsWith('-port='))?.slice('-port='.length) ?? '8080';
  listen(Number(port), async (request) => {
    const given = await parameters(request);
    const amounts: Readonly<Record<string, Partial<typeof used>>> = {
      '/ConsumeCPU': { nanoCores: Number(given.get('millicores')) * 1e6 },
      '/ConsumeMem': { memoryBytes: Number(given.get('megabytes')) * 2 ** 20 },
    };
    const amount = amounts[request.path];
    if (!amount) return { status: 404 };
    add(amount, 1);
    setTimeout(() => add(amount, -1), Number(given.get('durationSec')) * 1_000);
    return request.path.slice(1);
  });
  await sleep(Number.POSITIVE_INFINITY, signal);
};

/** `resource-consumer-controller`: divides what it is asked for into requests, which the Service of the consumers spreads. */
export const consumerController: Program = async ({ argv, listen, fetch, sleep, signal }) => {
  const service = `${flag(argv, 'consumer-service-name', 'resource-consumer')}.${flag(argv, 'consumer-service-namespace', 'default')}`;
  const url = `http://${service}.svc.cluster.local:${flag(argv, 'consumer-port', '8080')}`;
  const amounts: Readonly<Record<string, [amount: string, size: string]>> = {
    '/ConsumeCPU': ['millicores', 'requestSizeMillicores'],
    '/ConsumeMem': ['megabytes', 'requestSizeMegabytes'],
  };
  listen(Number(flag(argv, 'port', '8080')), async (request) => {
    const given = await parameters(request);
    const [amount, size] = amounts[request.path] ?? [];
    if (!amount || !size) return { status: 404 };
    const answers: string[] = [];
    for (let left = Number(given.get(amount)); left > 0; left -= Number(given.get(size))) {
      const part = Math.min(left, Number(given.get(size)));
      const body = `${amount}=${part}&durationSec=${given.get('durationSec')}`;
      answers.push(await (await fetch(`${url}${request.path}`, { method: 'POST', body })).text());
    }
    return answers.join('\n');
  });
  await sleep(Number.POSITIVE_INFINITY, signal);
};
