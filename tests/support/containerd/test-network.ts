import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A subnet of this machine that no other test and nothing else has. */
export interface TestNetwork {
  number: number;
  /** A /16 in CIDR notation. */
  subnet: string;
  /** Name of the bridge of the subnet. The holder of the network may delete it. */
  bridge: string;
  giveBack(): void;
}

const numbers = Array.from({ length: 50 }, (_, number) => number);

/**
 * Takes the first of these networks that no process holds and whose subnet nothing on the machine uses, except a bridge that a previous
 * holder left. The kernel returns a network when its holder ends, however it ends.
 */
export async function takeNetwork(among: readonly number[] = numbers): Promise<TestNetwork> {
  for (const number of among) {
    const lock = await hold(`\0nodeagent-e2e-network-${number}`);
    if (lock === undefined) continue;
    const network = { number, subnet: `10.${200 + number}.0.0/16`, bridge: `nae2e${number}`, giveBack: () => void lock.close() };
    if (!isUsed(network)) return network;
    network.giveBack();
  }
  throw new Error(`none of the test networks ${among.join(', ')} is free: other tests hold them, or the machine uses 10.200.0.0 and up`);
}

/** Binds an abstract socket, which exactly one process can; undefined if another one has it. */
async function hold(name: string): Promise<Server | undefined> {
  const server = createServer().listen(name).unref();
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/** Whether a route of another interface lies in the subnet or around it. `ip` also lists interfaces without a carrier. */
function isUsed({ subnet, bridge }: TestNetwork): boolean {
  const { status, stdout, stderr } = spawnSync('ip', ['-json', '-4', 'route', 'show', 'table', 'all'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip route show: ${stderr}`);
  const routes = JSON.parse(stdout) as { dst: string; dev?: string }[];
  return routes.some(({ dst, dev }) => dst !== 'default' && dev !== bridge && overlap(dst, subnet));
}

function overlap(a: string, b: string): boolean {
  const bits = Math.min(prefixLength(a), prefixLength(b));
  return bits === 0 || (numberOf(a) ^ numberOf(b)) >>> (32 - bits) === 0;
}

const prefixLength = (cidr: string) => Number(cidr.split('/')[1] ?? 32);
const numberOf = (cidr: string) => (cidr.split('/')[0] ?? '').split('.').reduce((number, byte) => (number << 8) | Number(byte), 0);
