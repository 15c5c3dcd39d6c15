// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The keys, in a dialog.
import { h } from './dom.ts';

const keys: [string, string][] = [
  ['1 … 6', 'views'],
  ['/', 'search in every view; Enter goes to the next function that fits, Esc clears'],
  ['g', 'into the view'],
  ['arrows', 'river: along the arcs; lists: rows; flame graph, timeline: frames'],
  ['Enter', 'select; in a list: show in the river; in flame graph and timeline: zoom'],
  ['+  −', 'river: one level more or less of the selected function'],
  ['[  ]', 'river: time filter one step down or up'],
  ['r', 'river: the selected function becomes the root of the widths'],
  ['0', 'show all, zoom out'],
  ['Shift + arrows', 'river: scroll'],
  ['n  p', 'paths: next, previous path; timeline: next, previous call of the function'],
  ['w', 'code: over the whole width'],
  ['w a s d', 'timeline: closer, to the left, farther, to the right'],
  ['l', 'timeline: the longest call of the function'],
  ['Shift and drag', 'timeline: show this part'],
  ['i', 'flame graph: turn around; s: sandwich'],
  ['Esc', 'select nothing'],
  ['t', 'dark or light'],
  ['Alt + ←  →', 'back and forward: the address bar keeps what is shown'],
];

export function help(): void {
  const close = h('button', { type: 'button', click: () => dialog.close() }, 'Close');
  const list = h('dl', {});
  for (const [key, text] of keys) list.append(h('dt', {}, h('kbd', {}, key)), h('dd', {}, text));
  const dialog = h(
    'dialog',
    { class: 'help', 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    list,
    h('p',
      { class: 'quiet' },
      'River marks: ▶ filled, children are collapsed into it; half filled, children that pass ' +
        'the time filter are shown; open, all children ' +
        'are shown. A curved bar: the function is recursive.'
    ),
    close
  );
  document.body.append(dialog);
  dialog.addEventListener('close', () => dialog.remove());
  dialog.showModal();
}
