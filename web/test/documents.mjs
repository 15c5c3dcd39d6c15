// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Rivulet authors
// Documents to test the page with: the example of the source document, ties, size, hostile names.

const hex = (n) => `0x${n.toString(16)}`;

// functions: [name, self, calls]; calls: [from, to, count, total]; totals are given, or summed up from what is called.
export function profile(functions, calls, more = {}) {
  const index = new Map(functions.map(([name], i) => [name, i]));
  const total = functions.map(([, self, , given]) => given ?? self);
  if (!functions.some((f) => f[3] !== undefined))
    for (const [from, , , time] of calls) total[index.get(from)] += time; // callees' times, as given
  const address = functions.map((_, i) => hex(0x80000000 + 256 * i));
  return {
    label: 'example', program: 'example.elf', application: 'example', build: '00000000', way: 'every trace', unit: 'cycles',
    total: functions.reduce((sum, f) => sum + f[1], 0), instructions: functions.reduce((sum, f) => sum + f[1], 0),
    sampled: false, scale: 1, exact_calls: true, traces: 1, traces_left_out: 0, cycles_left_out: 0, notes: [], files: ['src/a.c', 'src/b.c'],
    functions: {
      name: functions.map((f) => f[0]), file: functions.map((_, i) => i % 2), line: functions.map((_, i) => 10 * i + 1), address,
      calls: functions.map((f) => f[2]), self: functions.map((f) => f[1]), total, instructions: functions.map((f) => f[1]),
    },
    calls: {
      from: calls.map((c) => index.get(c[0])), to: calls.map((c) => index.get(c[1])), site: calls.map((_, i) => hex(0x80000010 + 4 * i)), line: calls.map((_, i) => i + 1),
      count: calls.map((c) => c[2]), total: calls.map((c) => c[3]),
    },
    ...more,
  };
}

export const documentOf = (...profiles) => ({ format: 'rivulet view', version: 1, profiles });

// QTY FIG. 1B, table II; times in tenths of a second. D took three fourths of its time for B.
export const tableII = () =>
  profile(
    [['start', 1, 1], ['main', 10, 1], ['A', 100, 1], ['B', 200, 1], ['C', 300, 1], ['D', 400, 80]],
    [['start', 'main', 1, 1010], ['main', 'A', 1, 1000], ['A', 'B', 1, 500], ['A', 'C', 1, 400], ['B', 'D', 40, 300], ['C', 'D', 40, 100]],
  );
// Table I, FIG. 1A: C does not call D.
export const tableI = () =>
  profile(
    [['start', 1, 1], ['main', 10, 1], ['A', 100, 1], ['B', 200, 1], ['C', 300, 1], ['D', 400, 40]],
    [['start', 'main', 1, 1010], ['main', 'A', 1, 1000], ['A', 'B', 1, 600], ['A', 'C', 1, 300], ['B', 'D', 40, 400]],
  );

// FIG. 10: main 0.03% self, 99.90% with descendants; printf 169 calls, 92.78%; prime 999 calls, 7.10%. In 100,000 parts.
export const fig10 = () =>
  profile(
    [['_start', 102, 1], ['main', 26, 1], ['printf', 92776, 169], ['prime', 7096, 999]],
    [['_start', 'main', 1, 99898], ['main', 'printf', 169, 92776], ['main', 'prime', 999, 7096]],
  );

// FIG. 14: shares for each scale, and a recursive function.
export const shares = [1, 0.95, 0.5, 0.31, 0.3, 0.1, 0.05, 0.02, 0.01, 0.004, 0.002, 0.001, 0.0005];
export function river() {
  const functions = [['main', 0, 1, 1e6]];
  const calls = [];
  let rest = 1e6;
  shares.forEach((share, i) => {
    functions.push([`f${i}`, i === 0 ? 1e6 : 0, 1, 1e6 * share]);
    calls.push(['main', `f${i}`, 1, 1e6 * share]);
    rest -= 0;
  });
  functions.push(['factorial', 0, 10, 1e5]);
  calls.push(['f1', 'factorial', 1, 1e5], ['factorial', 'factorial', 9, 0]);
  return profile(functions, calls);
}

// n functions below main with these shares in per cent.
export function flat(percents) {
  const functions = [['main', 0, 1, 1e6]];
  const calls = [];
  percents.forEach((p, i) => {
    functions.push([`g${i}`, Math.round(1e4 * p), 1, Math.round(1e4 * p)]);
    calls.push(['main', `g${i}`, 1, Math.round(1e4 * p)]);
  });
  const made = profile(functions, calls);
  made.total = 1e6;
  return made;
}

// A tree of functions, each calling some, with blocks, code, lines, paths, stacks and spans.
export function large(functionCount, pathCount, spanCount) {
  let seed = 12345;
  const random = () => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32);
  const parent = [-1];
  for (let f = 1; f < functionCount; f++) parent.push(Math.floor(random() * random() * f));
  const self = parent.map(() => Math.floor(10000 * random() ** 6) + 1);
  const total = [...self];
  for (let f = functionCount - 1; f > 0; f--) total[parent[f]] += total[f];
  const functions = self.map((s, f) => [`function_${f}`, s, 1 + (f % 7), total[f]]);
  const calls = [];
  for (let f = 1; f < functionCount; f++) calls.push([`function_${parent[f]}`, `function_${f}`, 1 + (f % 7), total[f]]);
  for (let k = 0; k < functionCount / 2; k++) {
    const from = Math.floor(random() * functionCount);
    const to = Math.floor(random() * functionCount);
    calls.push([`function_${from}`, `function_${to}`, 1, 0]);
  }
  const made = profile(functions, calls);
  const blocks = 6 * functionCount;
  const column = (n, f) => Array.from({ length: n }, (_, i) => f(i));
  made.blocks = {
    function: column(blocks, (b) => Math.floor(b / 6)), address: column(blocks, (b) => hex(0x80000000 + 8 * b)), end: column(blocks, (b) => hex(0x80000008 + 8 * b)), instructions: column(blocks, () => 2), count: column(blocks, () => 1), cycles: column(blocks, () => 2), loop: column(blocks, () => -1),
  };
  made.edges = { from: column(blocks, (b) => b), to: column(blocks, (b) => (b % 6 === 5 ? -1 : b + 1)), target: column(blocks, () => '0x0'), count: column(blocks, () => 1), kind: column(blocks, () => 'fall') };
  made.paths = { function: column(pathCount, (i) => i % functionCount), count: column(pathCount, (i) => 1 + (i % 99)), instructions: column(pathCount, () => 10), cycles: column(pathCount, (i) => 10 + (i % 999)), blocks: column(pathCount, (i) => column(4, (k) => 6 * (i % functionCount) + k)) };
  made.frames = { name: functions.map((f) => f[0]), file: functions.map(() => 0), line: functions.map(() => 1) };
  made.stacks = { parent, frame: column(functionCount, (f) => f), self };
  if (spanCount > 0) {
    const length = 10 * spanCount;
    made.spans = {
      length, all: spanCount + 1, shortest: 0, after: [0, ...column(spanCount, (i) => (i === 0 ? 0 : 10))], duration: [length, ...column(spanCount, () => 8)], function: [0, ...column(spanCount, (i) => 1 + (i % 50))], depth: [0, ...column(spanCount, () => 1)], process: column(spanCount + 1, () => 0),
    };
  }
  return made;
}

export const evil = [
  '</script><script>window.pwned=1</script>', '<img src=x onerror="window.pwned=1">', '"><svg onload=window.pwned=1>', "';window.pwned=1;//", '<!--<script>', '{{constructor.constructor("window.pwned=1")()}}', 'javascript:window.pwned=1', '@RIVULET_DATA@', `long_${'x'.repeat(10000)}`, 'bad\ufffdutf', 'turn\u202eeman', 'null\u0000byte', 'emoji_🌊', '__proto__', 'constructor', 'a;b c\td', '',
];
export function hostile() {
  const functions = [['main', 10, 1], ...evil.map((name, i) => [`${name}`, 10 + i, 1])];
  const calls = evil.map((name) => ['main', name, 1, 10]);
  const made = profile(functions, calls);
  made.label = '</title><script>window.pwned=1</script>';
  made.files = ['<img src=x onerror="window.pwned=1">.c', '</style><script>window.pwned=1</script>'];
  made.notes = ['<script>window.pwned=1</script>'];
  made.sources = [{ file: 0, line: 1, text: ['</script><script>window.pwned=1</script>', '<b>x</b>'] }];
  made.lines = { file: [0, 0], line: [1, 2], function: [0, 0], blocks: [1, 2], hit: [1, 0], count: [1, 0], cycles: [10, 0] };
  made.frames = { name: functions.map((f) => f[0]), file: functions.map(() => 0), line: functions.map(() => 1) };
  made.stacks = { parent: functions.map((_, i) => (i === 0 ? -1 : 0)), frame: functions.map((_, i) => i), self: functions.map((f) => f[1]) };
  made.phases = { name: ['<script>window.pwned=1</script>'], begin: [0], end: [100] };
  made.processes = ['<img src=x onerror="window.pwned=1">', 'two'];
  made.spans = { length: 100, all: 2, shortest: 0, after: [0, 10], duration: [100, 20], function: [1, 2], depth: [0, 0], process: [0, 1] };
  return made;
}

// Something of everything, small enough to read: table II with code, paths, stacks, calls over time, phases.
export function showcase() {
  const made = tableII();
  made.label = 'showcase.rvr';
  made.processes = ['demo'];
  const functions = made.functions.name;
  const column = (n, f) => Array.from({ length: n }, (_, i) => f(i));
  // each function: 0 head, 1 and 2 the two ways of a branch, 3 the end; 1 is a loop
  const of = (b) => Math.floor(b / 4);
  const blocks = 4 * functions.length;
  made.blocks = {
    function: column(blocks, of), address: column(blocks, (b) => hex(0x80000000 + 64 * b)), end: column(blocks, (b) => hex(0x80000010 + 64 * b)), instructions: column(blocks, () => 4),
    count: column(blocks, (b) => made.functions.calls[of(b)] * [1, 3, 0, 1][b % 4]), cycles: column(blocks, (b) => Math.round(made.functions.self[of(b)] * [0.2, 0.7, 0, 0.1][b % 4])), loop: column(blocks, (b) => (b % 4 === 1 ? of(b) : -1)),
  };
  const ways = [[0, 1, 'taken'], [0, 2, 'not taken'], [1, 1, 'taken'], [1, 3, 'not taken'], [2, 3, 'jump'], [3, -1, 'return']];
  const edges = functions.flatMap((_, f) => ways.map(([from, to, kind]) => ({ from: 4 * f + from, to: to < 0 ? -1 : 4 * f + to, kind, count: made.functions.calls[f] * (from === 2 || to === 2 ? 0 : to === 1 && from === 1 ? 2 : 1) })));
  made.edges = { from: edges.map((e) => e.from), to: edges.map((e) => e.to), target: edges.map((e) => hex(0x80000000 + 64 * Math.max(0, e.to))), count: edges.map((e) => e.count), kind: edges.map((e) => e.kind) };
  made.loops = { function: column(functions.length, (f) => f), head: column(functions.length, (f) => 4 * f + 1), parent: column(functions.length, () => -1), depth: column(functions.length, () => 1) };
  const texts = ['lw a0,0(a1)', 'addi a1,a1,4', 'add a2,a2,a0', 'bne a1,a3,-12'];
  made.code = {
    address: column(4 * blocks, (i) => hex(0x80000000 + 64 * Math.floor(i / 4) + 4 * (i % 4))), block: column(4 * blocks, (i) => Math.floor(i / 4)), file: column(4 * blocks, (i) => of(Math.floor(i / 4)) % 2), line: column(4 * blocks, (i) => 10 * of(Math.floor(i / 4)) + 1 + (Math.floor(i / 4) % 4)),
    count: column(4 * blocks, (i) => made.blocks.count[Math.floor(i / 4)]), cycles: column(4 * blocks, (i) => Math.round(made.blocks.cycles[Math.floor(i / 4)] / 4)),
    taken: column(4 * blocks, (i) => (i % 4 === 3 ? Math.floor((2 * made.blocks.count[Math.floor(i / 4)]) / 3) : 0)), not_taken: column(4 * blocks, (i) => (i % 4 === 3 ? Math.ceil(made.blocks.count[Math.floor(i / 4)] / 3) : 0)), text: column(4 * blocks, (i) => texts[i % 4]),
  };
  made.lines = { file: column(blocks, (b) => of(b) % 2), line: column(blocks, (b) => 10 * of(b) + 1 + (b % 4)), function: column(blocks, of), blocks: column(blocks, (b) => 1 + (b % 2)), hit: column(blocks, (b) => (b % 4 === 2 ? 0 : 1)), count: made.blocks.count, cycles: made.blocks.cycles };
  made.sources = [0, 1].map((file) => ({ file, line: 1, text: column(60, (i) => (i % 10 === 0 ? `int ${functions[(Math.floor(i / 10))] ?? 'rest'}(int n)` : i % 10 < 4 ? `\tsum += value[${i % 10}];` : '')) }));
  made.paths = { function: column(2 * functions.length, (i) => Math.floor(i / 2)), count: column(2 * functions.length, (i) => made.functions.calls[Math.floor(i / 2)] * (i % 2 === 0 ? 2 : 1)), instructions: column(2 * functions.length, () => 8), cycles: column(2 * functions.length, (i) => Math.round(made.functions.self[Math.floor(i / 2)] * (i % 2 === 0 ? 0.6 : 0.4))), blocks: column(2 * functions.length, (i) => (i % 2 === 0 ? [1] : [0, 1, 3]).map((b) => 4 * Math.floor(i / 2) + b)) };
  made.regions = { name: functions.flatMap((name) => [name, 'L0']), parent: column(2 * functions.length, (i) => (i % 2 === 0 ? -1 : i - 1)), function: column(2 * functions.length, (i) => Math.floor(i / 2)), head: column(2 * functions.length, (i) => 4 * Math.floor(i / 2) + (i % 2)), count: column(2 * functions.length, (i) => made.functions.calls[Math.floor(i / 2)]), turns: column(2 * functions.length, (i) => (i % 2) * 2 * made.functions.calls[Math.floor(i / 2)]), cycles: column(2 * functions.length, (i) => Math.round(made.functions.self[Math.floor(i / 2)] * (i % 2 === 0 ? 1 : 0.7))) };
  made.region_paths = { region: made.regions.name.map((_, i) => i), count: made.regions.count.map((n, i) => n * (i % 2 === 0 ? 1 : 3)), cycles: made.regions.cycles.map((n, i) => (i % 2 === 0 ? Math.round(0.3 * n) : n)), nodes: made.regions.name.map((_, i) => (i % 2 === 0 ? [2 * i, -1 - (i + 1), 2 * i + 3] : [2 * (i - 1) + 1])) };
  made.frames = { name: functions, file: functions.map((_, i) => i % 2), line: functions.map((_, i) => 10 * i + 1) };
  made.stacks = { parent: [-1, 0, 1, 2, 2, 3, 4], frame: [0, 1, 2, 3, 4, 5, 5], self: [1, 10, 100, 200, 300, 300, 100] };
  const spans = [[0, 1011, 0, 0], [1, 1010, 1, 1], [6, 1000, 2, 2], [50, 500, 3, 3], [560, 400, 4, 3], ...column(10, (i) => [70 + 45 * i, 30, 5, 4]), ...column(10, (i) => [580 + 35 * i, 10, 5, 4])].sort((x, y) => x[0] - y[0] || x[3] - y[3]);
  made.spans = { length: 1011, all: spans.length, shortest: 0, after: spans.map((x, i) => x[0] - (i === 0 ? 0 : spans[i - 1][0])), duration: spans.map((x) => x[1]), function: spans.map((x) => x[2]), depth: spans.map((x) => x[3]), process: spans.map(() => 0) };
  made.phases = { name: ['A', 'B', 'C'], begin: [0, 50, 560], end: [50, 560, 1011] };
  made.intervals = { begin: column(20, (i) => Math.round(50.55 * i)), end: column(20, (i) => Math.round(50.55 * (i + 1))) };
  made.sequence_paths = { function: [3, 4, 5], blocks: [4, 6, 2], instructions: [16, 24, 8], trips: [40, 30, 80], value: [640, 720, 640], heat: [column(20, (i) => (i > 0 && i < 11 ? 600 : 0)), column(20, (i) => (i > 10 ? 500 + 20 * i : 0)), column(20, (i) => (i % 2 === 0 ? 300 : 80))] };
  return made;
}
