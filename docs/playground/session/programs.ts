import { errorMessage, type KubeObject } from '@nodeagent/api';
import type { Program, ProgramContext } from '@nodeagent/memory-runtime';

/** An image of the playground whose containers run a JavaScript function: `kind: Image` among the manifests. */
interface ImageObject {
  apiVersion: typeof programVersion;
  kind: 'Image';
  metadata?: { name?: string };
  /** The source of a function: `async ({ listen, sleep }) => { ... }`. */
  program?: unknown;
}

const programVersion = 'playground/v1';

export const isImageObject = (object: KubeObject): object is ImageObject & KubeObject =>
  object.apiVersion === programVersion && object.kind === 'Image';

/** The name and the program of an image; throws an error that names the wrong field. `onRun` is called whenever the program runs on. */
export function programOf(object: KubeObject, onRun: (image: string) => void = () => {}): { name: string; program: Program } {
  const { metadata, program: source } = object as ImageObject;
  const name = metadata?.name;
  if (typeof name !== 'string' || name === '') throw new Error('metadata.name: must be the name of an image, such as shop:1');
  if (typeof source !== 'string')
    throw new Error('program: must be the text of a function, such as async ({ sleep }) => { await sleep(5000) }');
  const program = compile(source);
  return {
    name,
    program: (context) => {
      onRun(name);
      return program(traced(context, () => onRun(name)));
    },
  };
}

function compile(source: string): Program {
  let program: unknown;
  try {
    program = new Function(`'use strict'; return (${source}\n)`)();
  } catch (error) {
    throw new Error(`program: ${errorMessage(error)}`);
  }
  if (typeof program === 'function') return program as Program;
  throw new Error('program: must be a function, such as async ({ sleep }) => { await sleep(5000) }');
}

/** A context that reports before the program continues after a wait, and before each of its handlers. */
function traced(context: ProgramContext, report: () => void): ProgramContext {
  const reporting =
    <A extends unknown[], R>(handler: (...args: A) => R) =>
    (...args: A): R => {
      report();
      return handler(...args);
    };
  const tracedArgument = (value: unknown) => (typeof value === 'function' ? reporting(value as (...args: unknown[]) => unknown) : value);
  return new Proxy(context, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args.map(tracedArgument));
        return result instanceof Promise ? result.finally(report) : result;
      };
    },
  });
}
