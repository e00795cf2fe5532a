import { arrange, byId, element, setAttribute, setText } from './dom.js';
import { fullTime, timeOfDay } from './format.js';
import { perFrame } from './frame.js';
import { onLink, readLink, writeLink } from './link.js';

/** Maximum number of entries here. */
const maxEntries = 5_000;
/** Episodes of a page of the list. */
const pageLength = 50;

/** Entries by key, oldest first, and their episodes. */
function createEpisodes() {
  const entries = new Map();
  const episodes = new Map();
  const remove = (entry) => {
    entries.delete(entry.key);
    const episode = episodes.get(entry.episode);
    episode?.entries.delete(entry.key);
    if (episode?.entries.size === 0) episodes.delete(entry.episode);
  };
  return {
    episodes,
    clear() {
      entries.clear();
      episodes.clear();
    },
    size: () => entries.size,
    put(entry) {
      const before = entries.get(entry.key);
      if (before) remove(before);
      entries.set(entry.key, entry);
      const episode = episodes.get(entry.episode) ?? {
        ...{ id: entry.episode, pod: entry.pod, entries: new Map(), version: 0 },
        subject: entry.pod ? podName(entry.pod) : (entry.fields?.subject ?? 'node'),
      };
      // The newest last.
      episodes.delete(entry.episode);
      episodes.set(entry.episode, episode);
      episode.entries.set(entry.key, entry);
      episode.version += 1;
      if (entries.size > maxEntries) remove(entries.values().next().value);
    },
  };
}

/** The entry that describes the episode. */
function headOf({ entries }) {
  let head;
  for (const entry of entries.values()) if (head === undefined || entry.weight >= head.weight) head = entry;
  return head;
}

const podName = (pod) => `${pod.namespace}/${pod.name}`;
const isProblem = ({ entries }) => [...entries.values()].some(({ severity }) => severity !== 'info');

function contains(episode, text) {
  if (episode.subject.toLowerCase().includes(text)) return true;
  for (const entry of episode.entries.values()) if (entry.text.toLowerCase().includes(text)) return true;
  return false;
}

/** The timeline, newest first: episodes that unfold to their entries. `initially` is what a link without `show` shows: `all` or `problems`. */
export function createTimeline({ initially = 'all' } = {}) {
  const list = byId('entries');
  const search = byId('timeline-search');
  const [problems, all] = [byId('timeline-problems'), byId('timeline-all')];
  const pause = byId('timeline-pause');
  const more = byId('timeline-more');
  const model = createEpisodes();
  const items = new Map();
  let shownLength = pageLength;
  /** Entries received while the list is paused; undefined while it is not. */
  let held;

  const show = () => {
    const text = search.value.trim().toLowerCase();
    const onlyProblems = problems.getAttribute('aria-pressed') === 'true';
    const fitting = [...model.episodes.values()]
      .filter((each) => (!onlyProblems || isProblem(each)) && (text === '' || contains(each, text)))
      .reverse();
    const shown = fitting.slice(0, shownLength);
    const wanted = new Set(shown.map(({ id }) => id));
    for (const id of items.keys()) if (!wanted.has(id)) items.delete(id);
    arrange(
      list,
      shown.map((episode) => {
        const item = items.get(episode.id) ?? createItem();
        items.set(episode.id, item);
        item.show(episode);
        return item.root;
      }),
    );
    setText(byId('timeline-count'), `${fitting.length === model.episodes.size ? '' : `${fitting.length} of `}${model.episodes.size}`);
    const rest = fitting.length - shown.length;
    more.hidden = rest <= 0;
    setText(more, `Show ${Math.min(rest, pageLength)} more of ${rest}`);
    const none = byId('timeline-none');
    none.hidden = shown.length > 0;
    setText(none, onlyProblems && text === '' ? 'No problems.' : 'Nothing matches.');
  };
  const showSoon = perFrame(show);
  const press = (onlyProblems) => {
    setAttribute(problems, 'aria-pressed', onlyProblems);
    setAttribute(all, 'aria-pressed', !onlyProblems);
  };
  const change = () => {
    shownLength = pageLength;
    const kind = problems.getAttribute('aria-pressed') === 'true' ? 'problems' : 'all';
    writeLink({ show: kind === initially ? '' : kind, entries: search.value.trim() });
    show();
  };
  const follow = ({ show: kind = initially, entries = '' }) => {
    press(kind === 'problems');
    search.value = entries;
  };

  // Focusable, for scrolling by keyboard.
  byId('timeline-scroll').tabIndex = 0;
  search.addEventListener('input', change);
  for (const button of [problems, all]) {
    button.addEventListener('click', () => {
      press(button === problems);
      change();
    });
  }
  more.addEventListener('click', () => {
    shownLength += pageLength;
    show();
  });
  pause.addEventListener('click', () => {
    const waiting = held ?? [];
    held = held === undefined ? [] : undefined;
    setAttribute(pause, 'aria-pressed', held !== undefined);
    setText(pause, held === undefined ? 'Pause' : 'Resume');
    waiting.forEach(model.put);
    show();
  });
  onLink((link) => {
    follow(link);
    show();
  });
  follow(readLink());

  return {
    reset(entries) {
      model.clear();
      entries.forEach(model.put);
      showSoon();
    },
    add(entry) {
      if (held === undefined) {
        model.put(entry);
        return showSoon();
      }
      held.push(entry);
      if (held.length > maxEntries) held.shift();
    },
    /** Shows the timeline of one pod. */
    showPod(pod) {
      search.value = podName(pod);
      change();
      search.focus();
    },
  };
}

/** The words that stand for a severity's colour. */
const words = { error: 'Error: ', warning: 'Warning: ', info: '' };

function createItem() {
  const time = element('time');
  const pod = element('span', { class: 'pod' });
  const word = element('span', { class: 'hidden' });
  const text = element('span', { class: 'text' });
  const times = element('span', { class: 'times' });
  const button = element('button', { type: 'button', class: 'head', 'aria-expanded': 'false' }, time, pod, ' ', word, text, times);
  const body = element('div', { class: 'unfolded' });
  const root = element('li', { class: 'episode' }, button);
  let shown;
  let drawn = -1;
  const unfold = () => {
    const { pod: of } = shown;
    const link = of && element('a', { href: `#pod=${podName(of)}`, text: `Open ${of.name}` });
    body.replaceChildren(element('ol', {}, ...[...shown.entries.values()].reverse().map(entryItem)), ...(link ? [link] : []));
  };
  button.addEventListener('click', () => {
    const isOpen = button.getAttribute('aria-expanded') !== 'true';
    setAttribute(button, 'aria-expanded', isOpen);
    if (!isOpen) return body.remove();
    unfold();
    root.append(body);
  });
  return {
    root,
    show(episode) {
      if (shown === episode && drawn === episode.version) return;
      shown = episode;
      drawn = episode.version;
      const head = headOf(episode);
      const last = [...episode.entries.values()].at(-1);
      root.dataset.severity = head.severity;
      setAttribute(time, 'datetime', new Date(last.time).toISOString());
      setAttribute(time, 'title', fullTime(last.time));
      setText(time, timeOfDay(last.time));
      setText(pod, episode.pod ? episode.pod.name : episode.subject);
      setText(word, words[head.severity]);
      setText(text, head.brief ?? head.text);
      setText(times, head.count > 1 ? ` ×${head.count}` : '');
      if (body.isConnected) unfold();
    },
  };
}

function entryItem({ time, text, severity, count, firstTime }) {
  const when = count > 1 ? `${count} times since ${fullTime(firstTime)}, last ${fullTime(time)}` : fullTime(time);
  return element(
    'li',
    { class: 'entry', 'data-severity': severity },
    element('time', { datetime: new Date(time).toISOString(), title: when, text: timeOfDay(time) }),
    element(
      'span',
      { class: 'what' },
      words[severity] && element('span', { class: 'hidden', text: words[severity] }),
      text,
      count > 1 ? element('span', { class: 'times', text: ` ×${count}` }) : '',
    ),
  );
}
