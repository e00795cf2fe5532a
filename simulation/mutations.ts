import type { NodeAgentOptions } from '@nodeagent/core';
import type { CriResponse } from '@nodeagent/testing';
import type { Mutation } from './world.js';

/** A runtime that says of some containers that they were stopped, and goes on with them. */
const forgottenStop: Mutation = {
  name: 'forgotten-stop',
  begin({ node }) {
    const some = ({ containerId = '', podSandboxId = '' }) => /^[0-4]/.test(containerId || podSandboxId);
    for (const method of ['stopContainer', 'stopPodSandbox'] as const) {
      node.runtime.fault({ method, match: some, answer: {}, times: Number.POSITIVE_INFINITY });
    }
  },
};

/** Statuses of some pods never get to the API server. */
const droppedStatus: Mutation = {
  name: 'dropped-status',
  wrap: (options) =>
    withPods(options, (pods) => ({
      ...pods,
      patch: async (key, patch, ...rest) => (key.name?.endsWith('3') ? ((await pods.get(key)) as never) : pods.patch(key, patch, ...rest)),
    })),
};

/** Containers that crash wait half as long as they should. */
const halvedBackOff: Mutation = {
  name: 'halved-back-off',
  wrap: (options) => ({ ...options, settings: { ...options.settings, maxContainerRestartPeriodMs: 5_000 } }),
};

/** Restart counts are forgotten with the agent, as if they were not on the containers, nor at the API server. */
const loweredRestartCount: Mutation = {
  name: 'lowered-restart-count',
  wrap: (options) =>
    withPods(options, (pods) => ({
      ...pods,
      patch: (key, patch, ...rest) =>
        pods.patch(key, JSON.parse(JSON.stringify(patch, (name, value) => (name === 'restartCount' ? value >> 1 : value))), ...rest),
    })),
};

/** Volumes are said to be unmounted and are not. */
const leftMounted: Mutation = {
  name: 'left-mounted',
  begin({ disk }) {
    disk.leaves = true;
  },
};

/** Breaks of which each must be found. */
export const mutations: readonly Mutation[] = [forgottenStop, droppedStatus, halvedBackOff, loweredRestartCount, leftMounted];
