// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Colours of words in source and disassembly. Only text is made of them: a line is cut, nothing in it is understood.

export type Word = [text: string, kind: string]; // kind: a class of the style sheet; empty: plain

const keywords = new Set(
  ('auto break case catch char class const continue default delete do double else enum extern final ' +
   'float for goto if inline int long mut namespace new nullptr override private protected public ' +
   'register restrict return short signed sizeof static struct switch template this throw try typedef ' +
   'typename union unsigned using virtual void volatile while bool true false NULL fn let match impl pub ' +
   'use mod').split(' ')
);
const source = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|^\s*#\s*\w+|\b\d[\w.]*|\b[A-Za-z_]\w*/g;

function kindOf(word: string): string {
  if (word.startsWith('//') || word.startsWith('/*')) return 'syn-comment';
  if (word.startsWith('"') || word.startsWith("'")) return 'syn-text';
  if (/^\s*#/.test(word)) return 'syn-word';
  if (/^\d/.test(word)) return 'syn-number';
  return keywords.has(word) ? 'syn-word' : '';
}

function cutBy(pattern: RegExp, text: string, kind: (word: string) => string): Word[] {
  const words: Word[] = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    const name = kind(found[0]);
    if (name === '') continue;
    if (found.index > at) words.push([text.slice(at, found.index), '']);
    words.push([found[0], name]);
    at = found.index + found[0].length;
  }
  if (at < text.length) words.push([text.slice(at), '']);
  return words;
}

export const sourceWords = (text: string): Word[] => cutBy(source, text, kindOf);

const assembler = /^\S+|\b0x[0-9a-f]+\b|-?\b\d+\b/g;
export function codeWords(text: string): Word[] {
  let first = true;
  return cutBy(assembler, text, () => {
    const kind = first ? 'syn-word' : 'syn-number';
    first = false;
    return kind;
  });
}
