import { Quantity } from '@nodeagent/api/helpers';
import type { ContainerBehaviour, ContainerSubject, ExecAnswer } from '@nodeagent/test-cluster';

/** The behaviour of a container in the simulated cluster: as its environment configures it, with output for logs, `exec` and `top`. */
export function simulatedBehaviour({ name, image, pod, attempt, env }: ContainerSubject): ContainerBehaviour {
  const after = Number(env.SIMULATE_EXIT_AFTER ?? Number.NaN);
  const code = Number(env.SIMULATE_EXIT_CODE ?? 0);
  return {
    ...(after >= 0 && { exit: { afterMs: after * 1000, code: Number.isInteger(code) ? code : 1 } }),
    logs: [`${name} of ${pod} started with ${image}${attempt > 0 ? `, restart ${attempt}` : ''}`],
    exec: (command) => simulatedCommand(command, { pod, env }),
    usage: { nanoCores: amount(env.SIMULATE_CPU, '5m') * 1e9, memoryBytes: amount(env.SIMULATE_MEMORY, '16Mi') },
  };
}

/** A quantity, or the default instead of a text that is none. */
function amount(text: string | undefined, byDefault: string): number {
  const read = (quantity: string) => Number(Quantity.parse(quantity).milliValue()) / 1_000;
  try {
    return read(text ?? byDefault);
  } catch {
    return read(byDefault);
  }
}

/** `echo`, `env`, `hostname`, `true` and `false` behave as usual; other commands only print that they were run. */
function simulatedCommand([program = '', ...words]: string[], { pod, env }: Pick<ContainerSubject, 'pod' | 'env'>): ExecAnswer {
  switch (program.slice(program.lastIndexOf('/') + 1)) {
    case 'echo':
      return { stdout: `${words.join(' ')}\n` };
    case 'env':
      return {
        stdout: Object.entries(env)
          .map((pair) => `${pair.join('=')}\n`)
          .join(''),
      };
    case 'hostname':
      return { stdout: `${pod}\n` };
    case 'true':
      return {};
    case 'false':
      return { exitCode: 1 };
    default:
      return { stdout: `simulated: ${[program, ...words].join(' ')}\n` };
  }
}
