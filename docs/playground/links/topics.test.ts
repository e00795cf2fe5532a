import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sourceLines } from './source-lines.js';
import { topicOfEntry, topicOfEvent, topicOfMethod, topics } from './topics.js';

it('finds the function of each topic in its file', () => {
  const lines = sourceLines(fileURLToPath(new URL('../../..', import.meta.url)));
  expect(Object.keys(lines)).toEqual(Object.keys(topics));
});

it('links events by their reason', () => {
  expect(['Scheduled', 'BackOff', 'Pulling', 'ErrImageNeverPull', 'Unhealthy', 'Evicted', 'Killing', 'Started'].map(topicOfEvent)).toEqual([
    'scheduling',
    'restart',
    'image',
    'image',
    'probe',
    'eviction',
    'stop',
    'container',
  ]);
});

it('links the entries of an agent and the calls of its runtime', () => {
  expect(topicOfEntry('event', 'BackOff: ...', { reason: 'BackOff' })).toBe('restart');
  expect(topicOfEntry('sync', 'sync: all containers have stopped', { work: 'TerminatingPod' })).toBe('termination');
  expect(topicOfEntry('gc', 'image a was removed', { image: 'a' })).toBe('imageGc');
  expect(topicOfEntry('probe', '', {})).toBe('probe');
  expect(['pullImage', 'stopContainer', 'runPodSandbox', 'createContainer'].map(topicOfMethod)).toEqual([
    'image',
    'stop',
    'sandbox',
    'container',
  ]);
});
