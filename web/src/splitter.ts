// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// The bar between two lists that stand side by side: it is dragged, or moved by arrow keys.
import { h } from './dom.ts';

const LEAST = 15;

export class Splitter {
  readonly element: HTMLElement;
  private share = 50; // as dragged; while the lists' own widths decide, as drawn

  constructor(label: string, private moved: (share: number) => void) {
    this.element = h('div', {
      class: 'splitter',
      role: 'separator',
      tabindex: 0,
      'aria-orientation': 'vertical',
      'aria-label': label,
      'aria-valuemin': LEAST,
      'aria-valuemax': 100 - LEAST
    });
    this.element.addEventListener('pointerdown', (event) => {
      this.element.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    this.element.addEventListener('pointermove', (event) => {
      const box = this.element.parentElement?.getBoundingClientRect();
      if (!this.element.hasPointerCapture(event.pointerId) || box === undefined) return;
      this.go((100 * (event.clientX - box.x)) / Math.max(1, box.width));
    });
    this.element.addEventListener('keydown', (event) => {
      const by = { ArrowLeft: -5, ArrowRight: 5 }[event.key];
      if (by === undefined) return;
      this.go(this.share + by);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  private go(share: number): void {
    this.set(share);
    this.moved(this.share);
  }

  // Nobody moved it: what stands behind it is as wide as its columns need, within limits (style.css), so that no number
  // is cut.
  fit(): void {
    const box = this.element.parentElement;
    box?.classList.add('fitted');
    box?.style.removeProperty('--share');
    const before = this.element.previousElementSibling?.getBoundingClientRect().width ?? 0;
    this.share = Math.round((100 * before) / Math.max(1, box?.clientWidth ?? 1));
    this.element.setAttribute('aria-valuenow', String(this.share));
  }

  // The share of what stands before it, in per cent.
  set(share: number): void {
    this.element.parentElement?.classList.remove('fitted');
    this.share = Math.round(Math.min(100 - LEAST, Math.max(LEAST, Number.isFinite(share) ? share : 50)));
    this.element.setAttribute('aria-valuenow', String(this.share));
    this.element.parentElement?.style.setProperty('--share', `${this.share}%`);
  }
}
