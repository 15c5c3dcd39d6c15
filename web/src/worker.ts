// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Runs Graphviz: DOT in, positions out.
import { instance } from '@viz-js/viz';

const viz = instance();
self.onmessage = async (event: MessageEvent<{ turn: number; dot: string }>) => {
  const { turn, dot } = event.data;
  try {
    self.postMessage({ turn, output: (await viz).renderJSON(dot) });
  } catch {
    self.postMessage({ turn });
  }
};
