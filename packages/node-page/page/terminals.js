import { arrange, element } from './dom.js';

/** A button for each running container of a pod, and one terminal at a time. Its script is loaded with the first one. */
export function createTerminals() {
  const buttons = element('div', { class: 'bar', role: 'group', 'aria-label': 'Terminals' });
  buttons.hidden = true;
  const place = element('div');
  const known = new Map();
  let terminal;
  const stop = () => {
    terminal?.stop();
    terminal = undefined;
  };
  const open = async ({ namespace, name }, container, button) => {
    const { createTerminal } = await import('./terminal.js');
    stop();
    terminal = createTerminal({ namespace, pod: name, container }, () => button.focus());
    place.append(terminal.root);
    terminal.focus();
  };
  return {
    buttons,
    place,
    close: stop,
    show(pod) {
      const running = pod.containers.filter(({ state }) => state === 'running');
      for (const { name } of running) {
        if (known.has(name)) continue;
        const button = element('button', { type: 'button', text: `Terminal of ${name}` });
        button.addEventListener('click', () => void open(pod, name, button));
        known.set(name, button);
      }
      buttons.hidden = running.length === 0;
      arrange(
        buttons,
        running.map(({ name }) => known.get(name)),
      );
    },
  };
}
