import { sha256 } from '@nodeagent/api/helpers';
import calls from '../smoke/calls.cjs';
import { clusterTimeline } from './cluster-timeline.mjs';

/**
 * What runs in each runtime: one call of every entry, and half an hour of a cluster. Resolves to the calls with a wrong result, and to the lines of
 * the timeline with their hash.
 */
export async function runProgram(entries) {
  const failed = [];
  for (const [name, module] of Object.entries(entries)) {
    const problem = await problemOf(calls[name], module);
    if (problem !== undefined) failed.push(`${name}: ${problem}`);
  }
  const timeline = await clusterTimeline();
  return { calls: Object.keys(entries).length, failed, timeline, hash: sha256(timeline.join('\n')) };
}

async function problemOf(call, module) {
  if (call === undefined) return 'it has no call in scripts/smoke/calls.cjs';
  try {
    const [result, expected] = await call(module);
    const [given, wanted] = [JSON.stringify(result), JSON.stringify(expected)];
    return given === wanted ? undefined : `${given} instead of ${wanted}`;
  } catch (error) {
    return String(error?.stack ?? error);
  }
}
