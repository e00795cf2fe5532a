import { lessons } from '../lessons/index.js';
import type { Lesson } from '../lessons/lesson.js';
import { h } from './dom.js';

/** The choice of a lesson, and its text. */
export class LessonPanel {
  readonly element: HTMLElement;
  readonly #choice: HTMLSelectElement;
  readonly #text = h('div', { class: 'pg-lesson-text' });

  constructor(onOpen: (lesson: Lesson) => void) {
    const options = lessons.map(({ id, title }, index) => h('option', { value: id }, `${index + 1}. ${title}`));
    const open = () => {
      const lesson = lessons.find(({ id }) => id === this.#choice.value);
      if (lesson) onOpen(lesson);
    };
    this.#choice = h('select', { id: 'pg-lesson', onchange: open }, h('option', { value: '' }, 'Your own'), ...options);
    this.element = h('div', { class: 'pg-lesson' }, h('label', { for: 'pg-lesson' }, 'Lesson '), this.#choice, this.#text);
  }

  show(lesson: Lesson | undefined): void {
    this.#choice.value = lesson?.id ?? '';
    this.#text.replaceChildren(
      ...(lesson
        ? [
            h('p', {}, lesson.text, ' ', h('a', { href: lesson.docs, target: '_blank', rel: 'noreferrer' }, 'Kubernetes documentation')),
            h('p', {}, h('strong', {}, 'Try: '), lesson.exercise),
          ]
        : []),
    );
  }
}
